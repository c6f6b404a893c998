import { command } from '../command.ts'
import { toCompletion } from '../completion/completion.ts'
import { usageError } from '../exit-codes.ts'

export const completion = command({
  path: 'completion',
  summary: 'Print what makes a shell complete hctl: bash, zsh or fish',
  arguments: { shell: 'bash, zsh or fish' },
  async run({ output }, { shell }) {
    // Here, since the table of commands holds this one too.
    const { commands, groups } = await import('../commands.ts')
    const script = toCompletion(shell, { commands, groups })
    if (script === undefined) throw usageError('usage', `No completion for ${shell}.`)
    output.answer({ shell, script }, [script])
  },
})
