import type { Command } from '../command.ts'
import { toFlagNames } from '../program.ts'
import { toBash } from './bash.ts'
import { toFish } from './fish.ts'
import { toZsh } from './zsh.ts'

/** What may follow some words. */
export interface Place {
  /** The words before, without options: '' at first, then `keys`, `keys create`. */
  readonly words: string
  /** The next words and the options, with what they are. */
  readonly candidates: readonly Candidate[]
}

export interface Candidate {
  readonly word: string
  readonly description: string
}

interface Table {
  readonly commands: readonly Command[]
  readonly groups: Readonly<Record<string, string>>
}

const shells = { bash: toBash, zsh: toZsh, fish: toFish } as const

/** The script that makes a shell complete `hctl`; undefined for a shell that is not known. */
export const toCompletion = (shell: string, table: Table): string | undefined =>
  Object.hasOwn(shells, shell) ? shells[shell as keyof typeof shells](toPlaces(table)) : undefined

const globalFlags: readonly Candidate[] = [
  { word: '--json', description: 'Print JSON, for programs' },
  { word: '--profile', description: 'The sign-in to use' },
  { word: '--server', description: 'The address of the service' },
  { word: '--help', description: 'Show help' },
]

/** Every place of the command line, from the table of commands. */
function toPlaces({ commands, groups }: Table): Place[] {
  const first = commands.filter(({ path }) => !path.includes(' '))
  const named = Object.entries(groups).map(([word, description]) => ({ word, description }))
  return [
    { words: '', candidates: [...first.map(toCandidate), ...named, ...globalFlags] },
    ...named.map(({ word }) => ({
      words: word,
      candidates: commands.filter(({ path }) => path.startsWith(`${word} `)).map(toCandidate),
    })),
    ...commands.map((command) => ({
      words: command.path,
      candidates: [...toFlags(command), ...(extraWords[command.path] ?? []), ...globalFlags],
    })),
  ]
}

const extraWords: Readonly<Record<string, readonly Candidate[]>> = {
  completion: Object.keys(shells).map((word) => ({ word, description: 'A shell' })),
}

const toCandidate = ({ path, summary }: Command): Candidate => ({
  word: path.split(' ').at(-1)!,
  description: summary,
})

const toFlags = ({ options = {} }: Command): Candidate[] =>
  Object.entries(options).flatMap(([name, option]) =>
    toFlagNames(name, option).map((word) => ({ word, description: option.description })),
  )
