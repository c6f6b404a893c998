import { usageError } from '../exit-codes.ts'
import type { Surroundings } from '../surroundings.ts'

/** An API key from standard input: on a command line every process of the machine could read it. */
export async function readToken({ stdin }: Surroundings): Promise<string> {
  if (stdin.isTTY) {
    throw usageError('no_key', 'Give the key on standard input: hctl login --with-key < key.txt')
  }
  let text = ''
  for await (const part of stdin) text += String(part)
  const token = text.trim()
  if (/^hctl_[a-z2-7]{12}_[0-9A-Za-z]{38}$/.test(token)) return token
  throw usageError('no_key', 'Standard input holds no API key (hctl_…).')
}
