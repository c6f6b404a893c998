import { command, type Command } from '../command.ts'
import { usageError } from '../exit-codes.ts'
import { toServerUrl } from '../server-url.ts'
import { printable } from '../terminal/text.ts'
import { decideCompletion, type CommandTable } from './candidates.ts'
import { completionScripts } from './scripts.ts'
import { readValues } from './values.ts'

const shells = Object.keys(completionScripts)

const completion = command({
  path: 'completion',
  summary: 'Print a completion script for bash, zsh or fish',
  examples: ['source <(hctl completion bash)'],
  arguments: { shell: { description: 'The shell: bash, zsh or fish', choices: shells } },
  run({ output }, { shell }) {
    if (!Object.hasOwn(completionScripts, shell)) {
      throw usageError('usage', `No completion for ${shell}. Use ${shells.join(', ')}.`)
    }
    const script = completionScripts[shell as keyof typeof completionScripts]
    output.result({ shell, script }, [script])
    return Promise.resolve()
  },
})

/** Called by the completion scripts. The table of commands comes as a parameter, because it contains this one. */
const complete = (table: () => CommandTable): Command =>
  command({
    path: 'complete',
    summary: 'Print the candidates for the last word of a command line',
    hidden: true,
    arguments: { words: { description: 'The words after hctl', rest: true } },
    async run(context, { words }) {
      const { candidates, values, globals } = decideCompletion(table(), words)
      const { profile = context.profile, server } = globals
      const chosen = { ...context, profile, server: server ? toServerUrl(server) : context.server }
      const all = [...candidates, ...(values ? await readValues(chosen, values) : [])]
      const current = words.at(-1) ?? ''
      // Options with several values take them separated by commas: complete the last.
      const finished = current.slice(0, current.lastIndexOf(',') + 1)
      const matching = all
        .map(({ word, description }) => ({ word: finished + word, description }))
        .filter(({ word }) => word.startsWith(current))
      const lines = matching.map(
        ({ word, description }) => printable(word) + '\t' + printable(description),
      )
      context.output.result({ items: matching }, lines)
    },
  })

export const completionCommands = (table: () => CommandTable): Command[] => [
  completion,
  complete(table),
]
