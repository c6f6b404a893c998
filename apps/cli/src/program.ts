import { Command as Program, Option as Flag } from 'commander'
import type { Command } from './command.ts'
import { commands, groups } from './commands.ts'
import { version, type OutputStream } from './environment.ts'
import { toFlagNames, toSynopsis, toValueSynopsis, type Option } from './options.ts'

/** The options that every command accepts. */
export interface GlobalOptions {
  readonly json?: boolean
  readonly jq?: string
  readonly profile?: string
  readonly server?: string
}

/** Runs the command that the command line selects. */
export type Runner = (command: Command, inputs: never, options: GlobalOptions) => Promise<void>

interface Streams {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

/** Builds a commander program from the table of commands. It never ends the process itself. */
export function buildProgram(streams: Streams, run: Runner): Program {
  const program = configure(new Program('hctl'), streams)
    .description('Manage API keys and webhooks.')
    .version(version, '--version', 'Print the version')
    .option('--json', 'Print JSON')
    .option('--jq <filter>', 'Print what a jq filter selects of the JSON')
    .option('--profile <name>', 'The profile to use (HCTL_PROFILE)')
    .option('--server <url>', 'The URL of the service (HCTL_URL)')
    .addHelpText('after', environmentHelp)
  for (const command of commands) addCommand(program, command, run)
  return program
}

const environmentHelp = `
Environment: HCTL_TOKEN, HCTL_URL, HCTL_PROFILE, HCTL_ID_TOKEN, NO_COLOR,
             HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY
Exit codes:  0 done, 1 failed, 2 wrong usage, 3 refused (401, 403) or not signed in,
             4 device login expired, 5 rate limited, 130 interrupted`

function configure(program: Program, { stdout, stderr }: Streams) {
  return program
    .exitOverride()
    .showSuggestionAfterError()
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      // Commander throws its errors too; failure.ts prints them.
      outputError: () => undefined,
    })
}

function addCommand(program: Program, command: Command, run: Runner): void {
  const path = command.path.split(' ')
  const parent = path.length === 1 ? program : groupOf(program, path[0]!)
  const given = Object.entries(command.arguments ?? {})
  const added = parent
    .command(path.at(-1)!, { hidden: command.hidden === true })
    .description(command.summary)
    .addHelpText('after', examplesOf(command))
  for (const [name, argument] of given) {
    added.argument(toSynopsis(name, argument), argument.description)
  }
  for (const [name, option] of Object.entries(command.options ?? {})) {
    for (const flag of toFlags(name, option)) added.addOption(flag)
  }
  added.action(async (...words: unknown[]) => {
    const values = Object.fromEntries(given.map(([name], index) => [name, words[index]]))
    const inputs = { ...added.opts(), ...values }
    await run(command, inputs as never, program.opts<GlobalOptions>())
  })
}

const examplesOf = ({ examples = [] }: Command): string =>
  examples.length === 0 ? '' : ['', 'Examples:', ...examples.map((line) => `  ${line}`)].join('\n')

const groupOf = (program: Program, name: string): Program =>
  program.commands.find((known) => known.name() === name) ??
  program
    .command(name)
    .description(groups[name as keyof typeof groups])
    .helpCommand(false)

function toFlags(name: string, option: Option<unknown>): Flag[] {
  const { description, required, choices, parse } = option
  return toFlagNames(name, option).map((long, index) => {
    const flag = new Flag(
      long + toValueSynopsis(option),
      index === 0 ? description : 'The opposite',
    )
    if (choices && !parse) flag.choices(choices)
    if (parse) flag.argParser(parse)
    return required ? flag.makeOptionMandatory() : flag
  })
}
