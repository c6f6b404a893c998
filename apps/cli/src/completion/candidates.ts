import type { Command } from '../command.ts'
import { toFlagNames, type Argument, type Option, type ValueKind } from '../options.ts'

/** A word that may come next. */
export interface Candidate {
  readonly word: string
  readonly description: string
}

/** A word that needs no description. */
export const plain = (word: string): Candidate => ({ word, description: '' })

/** The commands and groups that can be completed. */
export interface CommandTable {
  readonly commands: readonly Command[]
  readonly groups: Readonly<Record<string, string>>
}

/** What may come next: known words, or values that the API or the profiles give. */
export interface Completion {
  readonly candidates: readonly Candidate[]
  readonly values?: ValueKind
  /** The values of `--profile` and `--server` on the command line. */
  readonly globals: { readonly profile?: string; readonly server?: string }
}

const globalOptions: Readonly<Record<string, Option<unknown>>> = {
  json: { description: 'Print JSON' },
  profile: { description: 'The profile to use', placeholder: 'name', values: 'profile' },
  server: { description: 'The URL of the service', placeholder: 'url' },
  help: { description: 'Show help' },
}

/** Decides what may replace the last of the words that follow `hctl`. */
export function decideCompletion(table: CommandTable, words: readonly string[]): Completion {
  const before = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  const { positional, pending, globals } = parse(table, before)
  const command = findCommand(table, positional)
  if (pending) return { ...toValues(pending), globals }
  if (!command) return { candidates: toNextWords(table, positional, current), globals }
  const index = positional.length - command.path.split(' ').length
  const argument = Object.values(command.arguments ?? {})[index]
  if (argument && !current.startsWith('-')) return { ...toValues(argument), globals }
  return { candidates: toFlags({ ...command.options, ...globalOptions }), globals }
}

interface Parsed {
  readonly positional: readonly string[]
  /** The option whose value comes next. */
  readonly pending: Option<unknown> | undefined
  readonly globals: Completion['globals']
}

/** Separates the words of commands and arguments from options and their values. */
function parse(table: CommandTable, words: readonly string[]): Parsed {
  const positional: string[] = []
  const globals: Record<string, string> = {}
  let pending: { name: string; option: Option<unknown> } | undefined
  for (const word of words) {
    if (pending) {
      if (pending.name in globalOptions) globals[pending.name] = word
      pending = undefined
    } else if (word.startsWith('-')) {
      pending = findOption({ ...findCommand(table, positional)?.options, ...globalOptions }, word)
    } else {
      positional.push(word)
    }
  }
  return { positional, pending: pending?.option, globals }
}

/** The option with this flag, if it takes a value. */
function findOption(options: Readonly<Record<string, Option<unknown>>>, flag: string) {
  const found = Object.entries(options).find(
    ([name, option]) =>
      option.placeholder !== undefined &&
      !option.valueOptional &&
      toFlagNames(name, option).includes(flag),
  )
  return found && { name: found[0], option: found[1] }
}

const findCommand = ({ commands }: CommandTable, words: readonly string[]): Command | undefined =>
  commands.find(({ path }) => {
    const expected = path.split(' ')
    return expected.every((word, index) => words[index] === word)
  })

const toValues = ({
  choices = [],
  values,
}: Option<unknown> | Argument): Omit<Completion, 'globals'> => ({
  candidates: choices.map(plain),
  ...(values && { values }),
})

/** The commands, groups or subcommands that may follow. */
function toNextWords(
  { commands, groups }: CommandTable,
  positional: readonly string[],
  current: string,
): Candidate[] {
  if (current.startsWith('-')) return toFlags(globalOptions)
  const visible = commands.filter(({ hidden }) => !hidden)
  const toCandidate = ({ path, summary }: Command): Candidate => ({
    word: path.split(' ').at(-1)!,
    description: summary,
  })
  if (positional.length === 0) {
    const named = Object.entries(groups).map(([word, description]) => ({ word, description }))
    return [...visible.filter(({ path }) => !path.includes(' ')).map(toCandidate), ...named]
  }
  if (positional.length > 1) return []
  return visible.filter(({ path }) => path.startsWith(`${positional[0]} `)).map(toCandidate)
}

const toFlags = (options: Readonly<Record<string, Option<unknown>>>): Candidate[] =>
  Object.entries(options).flatMap(([name, option]) =>
    toFlagNames(name, option).map((word) => ({ word, description: option.description })),
  )
