import { spawn } from 'node:child_process'
import { text as readText } from 'node:stream/consumers'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { makeTemporaryFolder } from './temporary-folder.ts'

type Texts = Readonly<Record<string, string>>

/** A finished job, with its log as people see it. */
export interface FinishedJob {
  readonly succeeded: boolean
  readonly log: string
}

interface Step {
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly with?: Texts
  readonly env?: Texts
  readonly run?: string
}

interface Workflow {
  readonly jobs: Readonly<
    Record<string, { env?: Texts; permissions: Texts; steps: readonly Step[] }>
  >
}

interface Action {
  readonly outputs?: Readonly<Record<string, { value: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}

/** Bash as GitHub and GitLab call it. */
const bash = ['--noprofile', '--norc', '-eo', 'pipefail', '-c']
const path = `${dirname(process.execPath)}:/usr/bin:/bin`

/** What the expressions of a workflow can name. */
interface Scope {
  readonly vars?: Texts
  readonly secrets?: Texts
  readonly inputs?: Texts
  readonly outputs: Record<string, Texts>
}

/**
 * Runs a job of a workflow as a runner of GitHub Actions does: composite actions of the repository, expressions,
 * outputs of steps, secrets, and masks in the log.
 *
 * @param service - the variables of a job with `id-token: write`.
 */
export class GitHubRunner {
  readonly #repository: string
  readonly #service: Texts
  readonly #secrets: Texts
  readonly #folder = makeTemporaryFolder()
  readonly #masks: string[] = []
  #log = ''
  #failed = false

  constructor(repository: string, service: Texts, secrets: Texts = {}) {
    this.#repository = repository
    this.#service = service
    this.#secrets = secrets
    this.#masks.push(...Object.values(secrets))
  }

  async run(workflowFile: string, jobName: string, vars: Texts): Promise<FinishedJob> {
    const { jobs } = parse(readFileSync(join(this.#repository, workflowFile), 'utf8')) as Workflow
    const job = jobs[jobName]!
    const mayRequest = job.permissions['id-token'] === 'write'
    const scope: Scope = { vars, secrets: this.#secrets, outputs: {} }
    const env = { ...(mayRequest && this.#service), ...fill(job.env, scope) }
    for (const step of job.steps) await this.#step(step, env, scope)
    const log = this.#masks.reduce((text, mask) => text.replaceAll(mask, '***'), this.#log)
    return { succeeded: !this.#failed, log }
  }

  async #step(step: Step, env: Texts, scope: Scope): Promise<void> {
    const isAlways = step.if?.startsWith('always()') ?? false
    if (this.#failed && !isAlways) return
    const condition = step.if?.replace('always() && ', '')
    if (condition !== undefined && !isTrue(condition, scope)) return
    const own = { ...env, ...fill(step.env, scope) }
    if (step.uses?.startsWith('actions/checkout@')) {
      cpSync(this.#repository, this.#folder, { recursive: true })
    } else if (step.uses?.startsWith('./')) await this.#action(step, own, scope)
    else if (step.run !== undefined) await this.#shell(step, own, scope)
  }

  async #action({ id = '', uses, with: given }: Step, env: Texts, scope: Scope): Promise<void> {
    const file = join(this.#repository, uses!, 'action.yml')
    const { runs, outputs = {} } = parse(readFileSync(file, 'utf8')) as Action
    const inner: Scope = { inputs: fill(given, scope), outputs: {} }
    for (const step of runs.steps) await this.#step(step, env, inner)
    const values = Object.entries(outputs).map(([name, { value }]) => [
      name,
      evaluate(value, inner),
    ])
    scope.outputs[id] = Object.fromEntries(values) as Texts
  }

  async #shell({ id = '', run }: Step, env: Texts, scope: Scope): Promise<void> {
    const output = join(this.#folder, 'output')
    writeFileSync(output, '')
    const files = { RUNNER_TEMP: this.#folder, GITHUB_OUTPUT: output }
    const { status, printed } = await runScript(evaluate(run!, scope), this.#folder, {
      CI: 'true',
      ...env,
      ...files,
    })
    for (const line of printed.split('\n')) {
      const [, mask] = /^::add-mask::(.+)$/.exec(line) ?? []
      if (mask === undefined) this.#log += `${line}\n`
      else this.#masks.push(mask)
    }
    const values = readFileSync(output, 'utf8').matchAll(/^(\w+)=(.*)$/gm)
    scope.outputs[id] = Object.fromEntries([...values].map(([, name, value]) => [name!, value!]))
    if (status !== 0) this.#failed = true
  }
}

const fill = (texts: Texts = {}, scope: Scope): Texts =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, evaluate(text, scope)]))

const evaluate = (text: string, scope: Scope): string =>
  text.replaceAll(/\$\{\{ (.+?) \}\}/g, (_, expression: string) => valueOf(expression, scope))

const isTrue = (condition: string, scope: Scope): boolean => {
  const [, expression] = /^(.+) != ''$/.exec(condition)!
  return valueOf(expression!, scope) !== ''
}

/** @throws Error for an expression that the runner does not know. */
function valueOf(expression: string, { vars, secrets, inputs, outputs }: Scope): string {
  const [context, name = '', , output = ''] = expression.split('.')
  if (context === 'vars' && vars) return vars[name] ?? ''
  if (context === 'secrets' && secrets) return secrets[name] ?? ''
  if (context === 'inputs' && inputs) return inputs[name] ?? ''
  if (context === 'steps') return outputs[name]?.[output] ?? ''
  throw new Error(`The runner does not know the expression ${expression}`)
}

interface GitLabJob {
  readonly id_tokens: Readonly<Record<string, { aud: string }>>
  readonly script: readonly string[]
}

/**
 * Runs a job as GitLab does: each line of its script in one shell, with the identity tokens in variables. GitLab masks
 * nothing.
 */
export async function runGitLabJob(
  file: string,
  jobName: string,
  { variables, idToken }: { variables: Texts; idToken: (audience: string) => string },
): Promise<FinishedJob> {
  const job = (parse(readFileSync(file, 'utf8')) as Record<string, GitLabJob>)[jobName]!
  const expand = (text: string): string =>
    text.replaceAll(/\$(\w+)/g, (_, name: string) => variables[name] ?? '')
  const tokens = Object.entries(job.id_tokens).map(([name, { aud }]) => [
    name,
    idToken(expand(aud)),
  ])
  const { status, printed } = await runScript(job.script.join('\n'), makeTemporaryFolder(), {
    ...variables,
    ...(Object.fromEntries(tokens) as Texts),
  })
  return { succeeded: status === 0, log: printed }
}

/** Runs a script, and returns what it prints: first on standard output, then on standard error. */
async function runScript(
  script: string,
  folder: string,
  env: Texts,
): Promise<{ status: number | null; printed: string }> {
  const child = spawn('bash', [...bash, script], {
    cwd: folder,
    env: { PATH: path, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, error] = await Promise.all([readText(child.stdout), readText(child.stderr)])
  if (child.exitCode === null) await once(child, 'exit')
  return { status: child.exitCode, printed: `${out}${error}` }
}
