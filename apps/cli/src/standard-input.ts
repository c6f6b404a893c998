import type { Environment } from './environment.ts'
import { usageError } from './exit-codes.ts'

/**
 * Reads standard input to its end.
 *
 * @param lengthMax - in characters.
 * @throws a usage error if there is more.
 */
export async function readStandardInput(
  { stdin }: Environment,
  lengthMax = 2 ** 24,
): Promise<string> {
  let text = ''
  for await (const part of stdin) {
    text += String(part)
    if (text.length > lengthMax) throw usageError('usage', 'Standard input is too long.')
  }
  return text
}
