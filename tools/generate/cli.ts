import { deliveryStatusLabels } from '@hosting/core/webhooks'
import type { Command } from '../../apps/cli/src/command.ts'
import { commands, groups } from '../../apps/cli/src/commands.ts'
import {
  toFlagNames,
  toValueSynopsis,
  toSynopsis,
  type Option,
} from '../../apps/cli/src/options.ts'
import { root } from '../run.ts'
import { codeOf } from './embedded.ts'
import { markdownTable, noticeOf } from './format.ts'

const nameSection = `## Names instead of ids

Wherever a command takes an id, it takes a name or the beginning of an id too: the name of a key, the description or URL of a
webhook, the beginning of either, or the first characters of an id: 4 or more, and 8 or more of a delivery or event.

\`\`\`sh
hctl webhooks show "Billing connector"
hctl deliveries list --webhook billing --since yesterday
\`\`\`

If several fit, \`hctl\` asks which one. Where nobody can be asked, it exits with 2 and lists them.`

const scriptSection = `## In scripts

\`--json\` prints JSON: one document, or one line per item for the commands that keep running and for \`login\`. Errors go
to standard error as \`{ "error": { "code", "message", … } }\`. \`--jq\` filters the JSON with a [jq](https://jqlang.org) filter,
without an installed jq, and prints strings without quotes:

\`\`\`sh
hctl webhooks list --jq '.items[].url'
\`\`\`

In a pipe, tables are printed whole. In a terminal they fit its width: less important columns are left out first. Ids are
shown by beginnings that are unique in the table, which every command accepts, times by their distance from now, and states
in colors, unless NO_COLOR is set.

White space around a token in HCTL_TOKEN, a file or standard input is removed. No output contains a token, except where a
command makes one.

## Proxies

\`hctl\` uses the HTTP proxy in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, in upper or lower case, for all its requests to the
service. NO_PROXY lists what is reached directly: hosts, domains, addresses, networks such as \`10.0.0.0/8\`, each with a
port if it is for that port only, or \`*\`. \`listen\` forwards events directly, never through a proxy.

## Confirmation and exit codes

\`keys revoke\`, \`webhooks delete\` and \`apply --delete\` need \`--yes\` if there is no terminal.

| Exit code | Meaning                  |
| --------- | ------------------------ |
| 0         | done                     |
| 1         | failed                   |
| 2         | wrong usage              |
| 3         | refused: HTTP 401 or 403, or not signed in |
| 4         | the device login expired |
| 5         | rate limited: HTTP 429   |
| 130       | interrupted              |

\`hctl plan\` exits with 0 if nothing would change, 2 if something would, and 1, 3 or 5 if it cannot say.`

const example = (file: string): string => codeOf(`${root}examples/hosting-file/${file}`)

const hostingFileSection = (): string => `## Endpoints and keys as code

A file in your repository names the endpoints and keys of the organization by their external ids:

\`hosting.yaml\`

${example('hosting.yaml')}

\`\`\`sh
hctl export > hosting.yaml    # begin with what is there
hctl plan                     # show what would change; exits with 2 if something would
hctl apply                    # change it
\`\`\`

\`/docs/hosting.schema.json\` is the JSON Schema of the file, by which editors complete it. Only what the file names is
changed. \`hctl apply --delete\` also deletes and revokes what has an external id that the file does not name, after a
question or with \`--yes\`. [The rules](../specification/hosting-file.md) list the rest.

New secrets and tokens are printed once, or written to the file that \`--secrets-to\` names. With it, an apply that is
interrupted and repeated loses none.

In CI, a [workload key](../ci.md) with the scopes \`webhooks:write\` and \`apikeys:read\` applies the file. Its tokens expire,
so they cannot create or change keys that do not: apply those while you are signed in. The workflow fails if they differ from
the file. It runs in GitHub Actions after each push to \`main\`:

\`.github/workflows/hosting.yml\`

${example('.github/workflows/hosting.yml')}`

const listenSection = (): string => `## Keys of hctl listen

In a terminal, the last line shows the selected event with the response of your server. At first, that is the newest
event. Without a terminal, and with \`--json\`, there are no keys.

${listenKeys}`

const agentsSection = `## Agents

\`hctl mcp\` serves agents by the [Model Context Protocol](https://modelcontextprotocol.io). Most agents take this
configuration:

\`\`\`json
{ "mcpServers": { "hosting": { "command": "hctl", "args": ["mcp"] } } }
\`\`\`

The agent has the rights of your sign-in, and only reads. Sign in with a profile of its own to give it less:
\`hctl login --profile agent\`, approved as read-only, and \`"args": ["mcp", "--profile", "agent"]\`. With
\`--allow-writes\` it can also change endpoints and keys and send deliveries again. It can never delete, revoke, rotate or
create keys.

The prompts \`why-is-this-endpoint-failing\`, \`replay-what-was-missed\` and \`prove-that-nothing-is-missing\` are good
beginnings. [The rules](../specification/agents.md) list the rest.`

const signIns = [
  ['JavaScript, with openid-client:', 'sign-in.mjs'],
  ['Python, with Authlib:', 'sign_in.py'],
  ['Go, with golang.org/x/oauth2:', 'main.go'],
]
  .map(([language, file]) => `${language}\n\n${codeOf(`${root}examples/oauth/sign-in/${file}`)}`)
  .join('\n\n')

const listenKeys = markdownTable(
  ['Key', 'Does'],
  [
    ['`r`', 'Sends the event to your server again, with the same ids and body and a new signature'],
    ['`d`', 'Shows its headers and body'],
    ['`o`', 'Opens it in the panel'],
    ['`t`', 'Asks for an event type and sends an example, as `hctl trigger` does'],
    ['`↑` `↓`', 'Selects an earlier or later event of the last 100'],
    ['`q`', 'Ends it'],
  ],
)

/** docs/generated/cli.md: how to use hctl, and every command with its options. */
export const cliDocument =
  (): string => `${noticeOf('tools/generate/cli.ts and the commands in apps/cli/src')}# hctl

\`hctl\` manages API keys and webhooks from a terminal.

## Install

You need Node 20.19 or newer, or Linux for the program without Node.

\`\`\`sh
npm install --global https://panel.example.com/downloads/hctl.tgz --allow-remote=root
\`\`\`

Without npm, \`/downloads/hctl.mjs\` is \`hctl\` in one file:

\`\`\`sh
curl --fail --remote-name https://panel.example.com/downloads/hctl.mjs
node hctl.mjs --help
\`\`\`

Without Node, \`/downloads/hctl-linux-x64.gz\` and \`/downloads/hctl-linux-arm64.gz\` are the same as one program:

\`\`\`sh
curl --fail https://panel.example.com/downloads/hctl-linux-x64.gz | gunzip > hctl
chmod +x hctl
./hctl --help
\`\`\`

The package has a manual page, \`man hctl\`.

## Sign in

A downloaded \`hctl\` knows the service that it comes from. \`--server\`, \`HCTL_URL\` and profiles name another one.

\`\`\`sh
hctl login        # approve the code in the panel
hctl whoami
hctl logout       # revokes the key
\`\`\`

The key is stored in the system keychain, or, if there is none, in a file that only you can read. Use profiles for several
sign-ins: \`hctl login --profile staging\`. Scripts set \`HCTL_TOKEN\` to an API key instead of signing in.

### Sign in from a program of your own

Programs sign in with a standard OAuth client: [the SDKs](../sdk.md#signing-in-a-user) have functions for it, and so
have other libraries, without a registration. The \`client_id\` is the name that the person sees.

${signIns}

[OAuth clients](oauth-clients.md) lists the libraries that we test.

## Find out why an event did not arrive

\`\`\`sh
hctl deliveries list --status failed --since 24h
hctl deliveries show <id>          # attempts, the meaning of the last failure, and what to do
hctl deliveries redeliver <id>
hctl deliveries tail               # follow deliveries
hctl listen --forward-to http://localhost:3000/hook
\`\`\`

${statusTable()}

\`--status\` accepts both.

${listenSection()}

${nameSection}

${hostingFileSection()}

${agentsSection}

${scriptSection}

## Completion

- bash: add \`source <(hctl completion bash)\` to \`~/.bashrc\`.
- zsh: add \`source <(hctl completion zsh)\` to \`~/.zshrc\`, after \`compinit\`.
- fish: run \`hctl completion fish > ~/.config/fish/completions/hctl.fish\` once.

It completes \`npx hctl\` too, and the values of options: ids, scopes, event types.

## Commands

Every command accepts \`--json\`, \`--jq <filter>\`, \`--profile <name>\` (\`HCTL_PROFILE\`), \`--server <url>\` (\`HCTL_URL\`) and
\`--help\`.

${sections().join('\n\n')}
`

function statusTable(): string {
  const rows = Object.entries(deliveryStatusLabels).map(([status, label]) => [
    `\`${status}\``,
    label,
  ])
  return markdownTable(['Status in the API', 'In hctl and the panel'], rows)
}

function sections(): string[] {
  const visible = commands.filter(({ hidden }) => !hidden)
  const single = visible.filter(({ path }) => !path.includes(' '))
  const grouped = Object.entries(groups).flatMap(([name, title]) => [
    `### ${title}`,
    ...visible.filter(({ path }) => path.startsWith(`${name} `)).map(describe),
  ])
  return ['### General', ...single.map(describe), ...grouped]
}

function describe(command: Command): string {
  const { path, summary, arguments: given = {}, options = {}, examples = [] } = command
  const names = Object.entries(given).map(
    ([name, argument]) => ` \`${toSynopsis(name, argument)}\``,
  )
  const lines = Object.entries(options).map(([name, option]) => describeOption(name, option))
  return [
    `#### hctl ${path}${names.join('')}`,
    `${summary}.`,
    ...(lines.length ? [lines.join('\n')] : []),
    ...(examples.length ? [['```sh', ...examples, '```'].join('\n')] : []),
  ].join('\n\n')
}

function describeOption(name: string, option: Option<unknown>): string {
  const { description, required } = option
  const flags = toFlagNames(name, option).map((flag) => `\`${flag}${toValueSynopsis(option)}\``)
  const text = description.replaceAll('*', '\\*').replaceAll('<', '\\<')
  return `- ${flags.join(', ')}: ${text}${required ? ' (required)' : ''}`
}
