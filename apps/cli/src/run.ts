import { createContext } from './context.ts'
import { exitCodeOf, type ExitCode } from './exit-codes.ts'
import { toFailure } from './failure.ts'
import { Output } from './output/output.ts'
import { buildProgram, type Runner } from './program.ts'
import type { Surroundings } from './surroundings.ts'

/** Runs one command line (the words after `hctl`); gives the exit code. */
export async function run(words: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const runCommand: Runner = async (command, inputs, options) => {
    const output = new Output(surroundings, options.json === true)
    await command.run(await createContext(surroundings, output, options), inputs)
  }
  try {
    const program = buildProgram(surroundings, runCommand)
    await Promise.race([program.parseAsync(words, { from: 'user' }), rejectAt(surroundings.signal)])
    return 0
  } catch (error) {
    const failure = toFailure(error)
    if (failure) new Output(surroundings, words.includes('--json')).fail(failure)
    return exitCodeOf(error)
  }
}

const rejectAt = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
