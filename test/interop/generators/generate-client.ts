import { mkdir, rm, writeFile } from 'node:fs/promises'
import { cache, installGo, installNpm, installPython, runProgram } from '../support/toolchain.ts'
import { generators, packageOf, type Generator, type Packages } from './generators.ts'

/** A generated client. */
export interface GeneratedClient {
  /** Ends with a slash. */
  readonly folder: string
  /** The folder of the programs that were installed with the generator. */
  readonly programs: string
}

const install: Readonly<Record<Packages, (...packages: string[]) => Promise<string>>> = {
  npm: async (...packages) => `${await installNpm(...packages)}node_modules/.bin/`,
  python: (...packages) => installPython(...packages),
  go: (path = '') => installGo(path),
}

/** Installs all generators of a kind, which takes less time than one after the other. Returns the folder of the programs. */
export function installGenerators(packages: Packages): Promise<string> {
  const own = Object.values<Generator>(generators).filter((each) => each.packages === packages)
  const names = own.flatMap((each) => [packageOf(each), ...(each.needs ?? [])])
  return install[packages](...new Set(names))
}

/** Runs a generator as the documentation says, in a new folder with this name. */
export async function generateClient(
  generator: Generator,
  name: string,
  document: string,
): Promise<GeneratedClient> {
  const programs = await installGenerators(generator.packages)
  const folder = `${cache}clients/${name}/`
  await rm(folder, { recursive: true, force: true })
  await mkdir(`${folder}hosting`, { recursive: true })
  const files = { 'openapi.json': document, ...generator.files }
  for (const [file, text] of Object.entries(files)) await writeFile(folder + file, text)
  const [program, ...options] = generator.command.split(' ')
  // Optimizing openapi-generator takes longer than it runs.
  const environment = { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' }
  await runProgram([`${programs}${program}`, ...options], { cwd: folder, environment })
  return { folder, programs }
}
