import { copyFile, cp, writeFile } from 'node:fs/promises'
import { installMaven } from '../support/maven.ts'
import {
  cache,
  goProgram,
  installNpm,
  installOnce,
  installPython,
  runProgram,
} from '../support/toolchain.ts'
import { exchangingClients, oauthClients } from './oauth-clients.ts'
import type { ClientProgram } from './run-client.ts'

/** How a client program is run, once the libraries of its language are installed. */
export type InstalledClient = Pick<ClientProgram, 'command' | 'cwd'>

const sources = new URL('clients/', import.meta.url).pathname
const {
  authlib,
  cliOauth,
  goOauth2,
  msalNode,
  nimbus,
  oauth4webapi,
  openidClient,
  requestsOauthlib,
} = oauthClients
const { googleAuth } = exchangingClients

/** Installs the libraries for JavaScript. Returns the folder that has their `node_modules`. */
export const installJavaScriptLibraries = (): Promise<string> =>
  installNpm(
    `openid-client@${openidClient.version}`,
    `oauth4webapi@${oauth4webapi.version}`,
    `@azure/msal-node@${msalNode.version}`,
  )

/** Installs the libraries for Python. Returns the folder of the programs of their environment. */
export const installPythonLibraries = (): Promise<string> =>
  installPython(
    `authlib==${authlib.version}`,
    `google-auth==${googleAuth.version}`,
    `requests-oauthlib==${requestsOauthlib.version}`,
    'oauthlib==4.0.1',
    'requests==2.34.2',
  )

/** @param file - of the folder `clients`. */
export async function installJavaScriptClient(file: string): Promise<InstalledClient> {
  const folder = await installJavaScriptLibraries()
  for (const name of [file, 'steps.mjs']) await copyFile(sources + name, folder + name)
  return { command: [process.execPath, folder + file], cwd: folder }
}

/** @param file - of the folder `clients`. */
export async function installPythonClient(file: string): Promise<InstalledClient> {
  const programs = await installPythonLibraries()
  return { command: [`${programs}python3`, sources + file], cwd: sources }
}

/** @param argument - what the program of `clients/go` is to run. */
export async function installGoClient(argument: string): Promise<InstalledClient> {
  const modules = [
    `golang.org/x/oauth2@v${goOauth2.version}`,
    `github.com/cli/oauth@v${cliOauth.version}`,
  ]
  const go = await goProgram()
  const module = await installOnce(`go-module/${modules.join('+')}`, async (cwd) => {
    await writeFile(`${cwd}go.mod`, 'module example.com/client\n\ngo 1.26\n')
    await runProgram([go, 'get', ...modules], { cwd })
  })
  const program = `${module}client`
  await buildOnce(program, async () => {
    await cp(`${sources}go`, module, { recursive: true })
    await runProgram([go, 'build', '-o', program, '.'], { cwd: module })
  })
  return { command: [program, argument], cwd: module }
}

/** @param file - of the folder `clients/java`. Java compiles it when it starts. */
export async function installJavaClient(file: string): Promise<InstalledClient> {
  const libraries = await installMaven(`com.nimbusds:oauth2-oidc-sdk:${nimbus.version}`)
  const options = ['-XX:TieredStopAtLevel=1', '--class-path', `${libraries}*`]
  return { command: ['java', ...options, `${sources}java/${file}`], cwd: sources }
}

/** The program of `clients/rust`. */
export async function installRustClient(): Promise<InstalledClient> {
  const cwd = `${cache}cargo/`
  await buildOnce(cwd, async () => {
    await cp(`${sources}rust`, cwd, { recursive: true })
    await runProgram(['cargo', 'build', '--quiet'], { cwd })
  })
  return { command: [`${cwd}target/debug/client`], cwd }
}

const builds = new Map<string, Promise<void>>()

/** Builds a program once in each run, as its source may have changed since the run before. */
function buildOnce(program: string, build: () => Promise<void>): Promise<void> {
  const building = builds.get(program) ?? build()
  builds.set(program, building)
  return building
}
