import { createContext } from './context.ts'
import type { Environment } from './environment.ts'
import { exitCodeOf, exitCodes, type ExitCode } from './exit-codes.ts'
import { toFailure, type Invocation } from './failure.ts'
import { proxiedFetch } from './network/proxied-fetch.ts'
import { buildProgram, type GlobalOptions, type Runner } from './program.ts'
import { resolveReferences } from './references/resolve.ts'
import { compileFilter } from './terminal/jq.ts'
import { Output, printJson, type JsonFormat } from './terminal/output.ts'

/** Runs one command line (the words after `hctl`) and returns the exit code. */
export async function run(words: readonly string[], environment: Environment): Promise<ExitCode> {
  let invocation: Invocation | undefined
  let exitCode: ExitCode = exitCodes.ok
  const runCommand: Runner = async (command, inputs, options) => {
    invocation = { ...command, inputs }
    const output = new Output(environment, formatOf(options))
    const fetch = proxiedFetch(environment.env, environment.fetch)
    const context = await createContext({ ...environment, fetch }, output, options)
    const resolved = await resolveReferences(context, command, inputs)
    invocation = { ...command, inputs: resolved }
    exitCode = (await command.run(context, resolved as never)) ?? exitCodes.ok
  }
  try {
    const program = buildProgram(environment, runCommand)
    await Promise.race([program.parseAsync(words, { from: 'user' }), rejectOnAbort(environment)])
    return exitCode
  } catch (error) {
    const failure = toFailure(error, invocation)
    const json = words.some((word) => /^--(json|jq(=.*)?)$/.test(word))
    if (failure) new Output(environment, json ? printJson : undefined).fail(failure)
    return exitCodeOf(error)
  }
}

const rejectOnAbort = ({ signal }: Environment): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })

/** How results are printed as JSON. `undefined`: they are printed for people. */
function formatOf({ json, jq }: GlobalOptions): JsonFormat | undefined {
  if (jq !== undefined) return compileFilter(jq)
  return json === true ? printJson : undefined
}
