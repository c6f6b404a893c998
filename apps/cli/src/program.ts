import { Command as Program, Option as Flag } from 'commander'
import { commands, groups } from './commands.ts'
import type { Command } from './command.ts'
import type { Option } from './options.ts'
import type { OutputStream } from './surroundings.ts'
import { version } from './version.ts'

/** What every command takes. */
export interface GlobalOptions {
  readonly json?: boolean
  readonly profile?: string
  readonly server?: string
}

/** How a chosen command is run. */
export type Runner = (command: Command, inputs: never, options: GlobalOptions) => Promise<void>

/** The table of commands as a commander program that writes and ends nothing by itself. */
export function buildProgram(streams: { stdout: OutputStream; stderr: OutputStream }, run: Runner) {
  const program = configure(new Program('hctl'), streams)
    .description('Keys and webhooks of the Hosting Control API.')
    .version(version, '--version', 'Print the version')
    .option('--json', 'Print JSON, for programs')
    .option('--profile <name>', 'The sign-in to use (HCTL_PROFILE)')
    .option('--server <url>', 'The address of the service (HCTL_URL)')
    .addHelpText('after', exitCodesHelp)
  for (const command of commands) addCommand(program, command, run)
  return program
}

const exitCodesHelp = `
Environment: HCTL_TOKEN, HCTL_URL, HCTL_PROFILE, NO_COLOR
Exit codes:  0 done, 1 failed, 2 wrong usage, 3 refused, 4 expired, 5 rate limited, 130 interrupted`

function configure(program: Program, { stdout, stderr }: Parameters<typeof buildProgram>[0]) {
  return program
    .exitOverride()
    .showSuggestionAfterError()
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      // Errors are thrown, and said in one place (failure.ts).
      outputError: () => undefined,
    })
}

function addCommand(program: Program, command: Command, run: Runner): void {
  const words = command.path.split(' ')
  const parent = words.length === 1 ? program : groupOf(program, words[0]!)
  const names = Object.keys(command.arguments ?? {})
  const added = parent.command(words.at(-1)!).description(command.summary)
  for (const name of names) added.argument(`<${kebab(name)}>`, command.arguments?.[name])
  for (const [name, option] of Object.entries(command.options ?? {})) {
    for (const flag of toFlags(name, option)) added.addOption(flag)
  }
  added.action(async (...given: unknown[]) => {
    const values = Object.fromEntries(names.map((name, index) => [name, given[index]]))
    const inputs = { ...added.opts(), ...values }
    await run(command, inputs as never, program.opts<GlobalOptions>())
  })
}

const groupOf = (program: Program, name: string): Program =>
  program.commands.find((known) => known.name() === name) ??
  program
    .command(name)
    .description(groups[name as keyof typeof groups])
    .helpCommand(false)

function toFlags(name: string, option: Option<unknown>): Flag[] {
  const { description, placeholder, required, choices, parse } = option
  return toFlagNames(name, option).map((long, index) => {
    const flag = new Flag(
      placeholder ? `${long} <${placeholder}>` : long,
      index === 0 ? description : 'The opposite',
    )
    if (choices) flag.choices(choices)
    if (parse) flag.argParser(parse)
    return required ? flag.makeOptionMandatory() : flag
  })
}

/** What is written for an option: `--x`, `--no-x`, or either. */
export function toFlagNames(name: string, { negation }: Option<unknown>): string[] {
  const long = kebab(name)
  if (negation === 'only') return [`--no-${long}`]
  return negation === 'also' ? [`--${long}`, `--no-${long}`] : [`--${long}`]
}

/** As words are written on a command line. */
const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
