import { afterAll, expect } from '@jest/globals'
import { copyFile, cp, writeFile } from 'node:fs/promises'
import { root } from '../../../tools/run.ts'
import { useApi } from '../../support/api.ts'
import { makeCertificates } from '../../support/certificates.ts'
import { startGitLab } from '../../support/ci-services.ts'
import { runExample } from '../../support/run-example.ts'
import { callWith, makeSignedIn, type TestSession } from '../../support/session.ts'
import { writeTemporary } from '../../support/temporary-folder.ts'
import { startIngress } from '../support/ingress.ts'
import { goProgram, installOnce, runProgram, toolchains } from '../support/toolchain.ts'
import { installJavaScriptLibraries, installPythonLibraries } from './installed-clients.ts'
import { oauthClients } from './oauth-clients.ts'

// The programs that the pages /docs/cli, /docs/sdk and /docs/ci show, unchanged, at a service with https.

const examples = `${root}examples/oauth/`
const certificates = await makeCertificates({ addresses: ['127.0.0.1'] })
const authority = writeTemporary('authority.pem', certificates.ca)
const ingress = await startIngress(() => api.url, { certificates })
const service = ingress.url
const api = useApi({ PUBLIC_URL: service, TRUSTED_PROXIES: '127.0.0.1' })
const gitlab = await startGitLab()
afterAll(() => Promise.all([ingress.close(), gitlab.close()]))

type Command = readonly [program: string, ...args: string[]]

/** Runs a program that trusts the authority, as an installation trusts those of its system. */
const run = (command: Command, environment: Readonly<Record<string, string>> = {}) =>
  runExample([...command], {
    HCTL_URL: service,
    NODE_EXTRA_CA_CERTS: authority,
    REQUESTS_CA_BUNDLE: authority,
    SSL_CERT_FILE: authority,
    PYTHONUNBUFFERED: '1',
    ...environment,
  })

/** A person, whose session has the name of a service with https. */
async function makePerson() {
  const session: TestSession = await makeSignedIn(api, await api.makeTenant())
  const cookie = session.cookie.replace(/^session=/, '__Host-session=')
  return callWith(api, { ...session, cookie })
}

async function signsIn(command: Command): Promise<void> {
  const call = await makePerson()
  const program = run(command)
  const [, code] = await program.line(/^Open \S+\/device and check that it shows (\S+)$/)
  const path = `/auth/device/requests/${code}/approve`
  expect(await call('post', path, { body: { access: 'full' } })).toMatchObject({ status: 200 })
  await program.ended
  expect(program.lines.at(-1)).toContain('Ana')
}

async function exchanges(command: Command): Promise<void> {
  const call = await makePerson()
  const workload = { issuer: gitlab.url, conditions: { project_id: '20' } }
  const body = { name: 'Deploy', kind: 'organization', scopes: ['sites:write'], workload }
  const { key } = (await call('post', '/api-keys', { body })).body as { key: { id: string } }
  const file = writeTemporary('id-token', gitlab.idToken(`${service}/workloads/${key.id}`))
  const program = run(command, { ID_TOKEN_FILE: file, HCTL_KEY_ID: key.id })
  await program.ended
  expect(JSON.parse(program.lines.join('\n'))).toMatchObject({ key: { id: key.id } })
}

async function installJavaScript(file: string): Promise<Command> {
  const folder = await installJavaScriptLibraries()
  const program = folder + file.replace('/', '-')
  await copyFile(examples + file, program)
  return [process.execPath, program]
}

async function installPythonProgram(file: string): Promise<Command> {
  const programs = await installPythonLibraries()
  return [`${programs}python3`, examples + file]
}

async function buildGo(name: string): Promise<Command> {
  const library = `golang.org/x/oauth2@v${oauthClients.goOauth2.version}`
  const cwd = await installOnce(`documented-go/${name}-${library}`, async (folder) => {
    await writeFile(`${folder}go.mod`, 'module example.com/documented\n\ngo 1.24\n')
    await runProgram([await goProgram(), 'get', library], { cwd: folder })
  })
  await cp(`${examples}${name}/main.go`, `${cwd}main.go`)
  await runProgram([await goProgram(), 'build', '-o', 'program', '.'], { cwd })
  return [`${cwd}program`]
}

toolchains.npm.concurrent('the program for JavaScript signs in with openid-client', async () =>
  signsIn(await installJavaScript('sign-in/sign-in.mjs')),
)
toolchains.python.concurrent('the program for Python signs in with Authlib', async () =>
  signsIn(await installPythonProgram('sign-in/sign_in.py')),
)
toolchains.go.concurrent('the program for Go signs in with golang.org/x/oauth2', async () =>
  signsIn(await buildGo('sign-in')),
)
toolchains.npm.concurrent(
  'the program for JavaScript exchanges a token with openid-client',
  async () => exchanges(await installJavaScript('exchange/exchange.mjs')),
)
toolchains.python.concurrent(
  'the program for Python exchanges a token with google-auth',
  async () => exchanges(await installPythonProgram('exchange/exchange_google_auth.py')),
)
toolchains.python.concurrent('the program for Python exchanges a token with Authlib', async () =>
  exchanges(await installPythonProgram('exchange/exchange_authlib.py')),
)
toolchains.go.concurrent(
  'the program for Go exchanges a token with golang.org/x/oauth2',
  async () => exchanges(await buildGo('exchange')),
)
