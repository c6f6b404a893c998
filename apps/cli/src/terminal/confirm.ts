import { confirm, isCancel } from '@clack/prompts'
import { isInteractive, type Environment } from '../environment.ts'
import { CliError, Interruption, usageError } from '../exit-codes.ts'
import type { Output } from './output.ts'
import { printable } from './text.ts'

/** Asks the user a yes-or-no question; the default is no. */
export async function ask(message: string): Promise<boolean> {
  const choice = await confirm({ message: printable(message), initialValue: false })
  if (isCancel(choice)) throw new Interruption()
  return choice
}

/** Asks before a destructive command without `--yes`, which is required where nobody can be asked. */
export async function requireConfirmation(
  { environment, output }: { environment: Environment; output: Output },
  message: string,
): Promise<void> {
  if (output.json || !isInteractive(environment)) {
    const problem = 'This command asks for confirmation, but there is no terminal.'
    throw usageError('confirmation_required', problem, 'Use --yes to run it without asking.')
  }
  if (!(await ask(message))) throw new CliError('declined', 'Nothing was changed.')
}
