import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { copyInstalledPackages } from '../../support/installed-packages.ts'

/** A built stage: the contents of its working folder, and the command of its containers. */
export interface MadeStage {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly user: string
  readonly command: readonly string[]
}

/** The working folder of every stage. A step with another path is not supported. */
const workFolder = '/app'

/**
 * Builds the stages of a Dockerfile in folders, step by step. Files come only from the build context and other
 * stages. Commands run in the stage's folder with the stage's environment. The stages' base images count as
 * empty: this machine replaces them.
 */
export function makeStages(
  stages: readonly Stage[],
  { source, target }: { source: string; target: string },
): Map<string, MadeStage> {
  const context = join(target, 'context')
  copyBuildContext(source, context)
  const made = new Map<string, MadeStage>()
  for (const { name, from, steps } of stages) {
    const folder = join(target, name)
    mkdirSync(folder)
    const base = made.get(from)
    if (base) cpSync(base.folder, folder, { recursive: true, verbatimSymlinks: true })
    let stage: MadeStage = base
      ? { ...base, folder }
      : { folder, environment: {}, user: 'root', command: [] }
    for (const step of steps) stage = follow(step, stage, { context, made })
    made.set(name, stage)
  }
  return made
}

function follow(
  { instruction, flags, value }: Step,
  stage: MadeStage,
  { context, made }: { context: string; made: ReadonlyMap<string, MadeStage> },
): MadeStage {
  switch (instruction) {
    case 'COPY': {
      copy(value, flags['from'] === undefined ? context : made.get(flags['from'])!.folder, stage)
      return stage
    }
    case 'RUN': {
      if (value === 'npm ci --ignore-scripts') install(stage)
      else run(value, stage)
      return stage
    }
    case 'ENV': {
      const set = value.split(/\s+/).map((entry) => entry.split(/=(.*)/s, 2) as [string, string])
      return { ...stage, environment: { ...stage.environment, ...Object.fromEntries(set) } }
    }
    case 'USER':
      return { ...stage, user: value }
    case 'CMD':
      return { ...stage, command: JSON.parse(value) as string[] }
    case 'WORKDIR':
      if (value === workFolder) return stage
      break
    case 'EXPOSE':
    case 'LABEL':
    case 'STOPSIGNAL':
      return stage
  }
  throw new Error(`${instruction} ${value} is not understood`)
}

/** Copies the contents of a folder; no other form of COPY is needed. */
function copy(value: string, from: string, { folder }: MadeStage): void {
  const [path = '', target = '', ...more] = value.split(/\s+/)
  if (more.length > 0) throw new Error(`COPY ${value} is not understood`)
  cpSync(join(from, path.replace(workFolder, '')), join(folder, target), {
    recursive: true,
    verbatimSymlinks: true,
  })
}

/**
 * Copies the packages that `npm ci` has installed in the checkout from the same lock file, which saves a minute of processor
 * time. npm checks that the manifests agree with the lock file.
 */
function install(stage: MadeStage): void {
  run('npm ci --ignore-scripts --dry-run', stage)
  copyInstalledPackages(stage.folder)
}

function run(command: string, stage: MadeStage): void {
  const env = { ...environmentIn(stage), ...wayToRegistry() }
  const options = { cwd: stage.folder, env, encoding: 'utf8' } as const
  try {
    execFileSync('/bin/sh', ['-ec', command], { ...options, stdio: 'pipe' })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`RUN ${command}\n${stdout}${stderr}`, { cause: error })
  }
}

/** How this machine reaches npm's registry: a builder has its own network and cache. */
const wayToRegistry = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(HOME|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|https?_proxy|no_proxy|npm_config_(userconfig|globalconfig|cache|registry|cafile))$/i.test(
        name,
      ),
    ),
  )

/** The environment of a container of the stage: the stage's variables, and PATH. */
export const environmentIn = ({ folder, environment }: MadeStage): Record<string, string> => {
  const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`
  const set = Object.entries(environment).map(([name, value]) => [
    name,
    value.replaceAll(workFolder, folder).replaceAll('$PATH', path),
  ])
  return { PATH: path, HOME: '/tmp', ...Object.fromEntries(set) }
}

/** Copies the build context of a folder: the files that its .dockerignore does not exclude. */
function copyBuildContext(folder: string, target: string): void {
  const isIgnored = readIgnoreRules(readFileSync(`${folder}/.dockerignore`, 'utf8'))
  cpSync(folder, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter(path) {
      const relativePath = relative(folder, path)
      return relativePath === '' || !isIgnored(relativePath)
    },
  })
}

/** The last rule that matches a path or a parent folder decides whether it is ignored. */
export function readIgnoreRules(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ ignores: !line.startsWith('!'), pattern: line.replace(/^!/, '') }))
  return (path) => {
    const parts = path.split('/')
    const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
    const last = rules.findLast(({ pattern }) => paths.some((each) => matches(each, pattern)))
    return last?.ignores ?? false
  }
}

/** Node's `*` does not match names that start with a dot; Docker's does. */
const matches = (path: string, pattern: string): boolean =>
  pattern === '.*' ? /^\.[^/]*$/.test(path) : matchesGlob(path, pattern)

/** A stage of a Dockerfile. */
interface Stage {
  readonly name: string
  /** An earlier stage, or an image. */
  readonly from: string
  readonly steps: readonly Step[]
}

/** An instruction of a stage, with continuation lines joined. */
interface Step {
  readonly instruction: string
  /** `--mount=…`, `--from=…`. */
  readonly flags: Readonly<Record<string, string>>
  readonly value: string
}

/** Parses the Dockerfile: only the part of the syntax that ours uses. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: { name: string; from: string; steps: Step[] }[] = []
  for (const line of lines) {
    const [, instruction = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line)!
    const from = /^(\S+) AS (\S+)$/.exec(rest)
    if (instruction === 'FROM') stages.push({ from: from![1]!, name: from![2]!, steps: [] })
    else stages.at(-1)!.steps.push({ instruction, ...splitFlags(rest) })
  }
  return stages
}

function splitFlags(text: string): Pick<Step, 'flags' | 'value'> {
  const [, flags = '', value = ''] = /^((?:--\S+\s+)*)(.*)$/.exec(text)!
  const entries = flags.split(/\s+/).flatMap((flag) => {
    const [, name, set = ''] = /^--(\w+)=(.*)$/.exec(flag) ?? []
    return name === undefined ? [] : [[name, set]]
  })
  return { flags: Object.fromEntries(entries), value }
}
