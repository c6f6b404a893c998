import { confirm, isCancel } from '@clack/prompts'
import { Interruption } from '../exit-codes.ts'
import { isInteractive, type Surroundings } from '../surroundings.ts'
import type { Output } from './output.ts'
import { printable } from './printable.ts'

/** Asks a person. */
export async function ask(message: string): Promise<boolean> {
  const answer = await confirm({ message: printable(message), initialValue: false })
  if (isCancel(answer)) throw new Interruption()
  return answer
}

/** Asks a person before what cannot be undone; a program that names the id means it. */
export async function askBefore(
  { surroundings, output }: { surroundings: Surroundings; output: Output },
  message: string,
  { yes }: { yes: boolean | undefined },
): Promise<void> {
  if (yes === true || output.json || !isInteractive(surroundings)) return
  if (!(await ask(message))) throw new Interruption()
}
