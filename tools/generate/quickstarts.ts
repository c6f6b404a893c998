import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { root } from '../run.ts'
import type { quickstartLanguages } from '../site/pages.ts'
import { wheelName } from '../site/wheel.ts'
import { noticeOf } from './format.ts'

/** From version 12 on, npm installs a package from a URL only with this option. */
const fromUrl = '--allow-remote=root'

type Language = (typeof quickstartLanguages)[number]

/** What differs between the quickstarts. */
interface Quickstart {
  readonly name: string
  /** What to install or download first. */
  readonly prepare: string
  /** The program that creates the endpoint, and how to run it. */
  readonly create: readonly [file: string, command: string]
  /** The program that receives events, and how to run it; absent for curl. */
  readonly receiver?: readonly [file: string, command: string]
}

const quickstarts: Readonly<Record<Language, Quickstart>> = {
  curl: {
    name: 'curl',
    prepare: 'You need a shell and `curl`.',
    create: ['curl/create-endpoint.sh', ''],
  },
  typescript: {
    name: 'TypeScript',
    prepare: `You need Node 24 or newer. In an empty folder, create a package and install the SDK from the service:

${fence('sh', `npm init --yes\nnpm pkg set type=module\nnpm install "$HCTL_URL/downloads/sdk.tgz" ${fromUrl}`)}`,
    create: ['typescript/create-endpoint.ts', 'node create-endpoint.ts'],
    receiver: ['typescript/receiver.ts', 'PORT=3000 node receiver.ts'],
  },
  python: {
    name: 'Python',
    prepare: `You need Python 3.9 or newer. Install the SDK from the service:

${fence('sh', `python3 -m venv .venv\n. .venv/bin/activate\npip install "$HCTL_URL/downloads/${wheelName()}"`)}`,
    create: ['python/create_endpoint.py', 'python3 create_endpoint.py'],
    receiver: ['python/receiver.py', 'PORT=3000 python3 receiver.py'],
  },
  php: {
    name: 'PHP',
    prepare: `You need PHP 8.1 or newer. Download the function that verifies signatures:

${fence('sh', 'curl --fail --remote-name "$HCTL_URL/downloads/verify_webhook.php"')}

The receiver runs in PHP's development server, which a malformed request can end. In production, run it behind a web
server, for example with PHP-FPM.`,
    create: ['php/create-endpoint.php', 'php create-endpoint.php'],
    receiver: ['php/receiver.php', 'php -S 0.0.0.0:3000 receiver.php'],
  },
  go: {
    name: 'Go',
    prepare: `You need Go 1.20 or newer. In an empty folder, create a module with the function that verifies signatures:

${fence('sh', 'go mod init quickstart\nmkdir webhooks create receiver\ncurl --fail --output webhooks/verify.go "$HCTL_URL/downloads/verify_webhook.go"')}`,
    create: ['go/create/main.go', 'go run ./create'],
    receiver: ['go/receiver/main.go', 'PORT=3000 go run ./receiver'],
  },
}

/** The generated files by path: docs/generated/quickstart/<language>.md. */
export const quickstartFiles = (): Readonly<Record<string, () => string>> =>
  Object.fromEntries(
    Object.entries(quickstarts).map(([language, quickstart]) => [
      `docs/generated/quickstart/${language}.md`,
      () => documentOf(quickstart),
    ]),
  )

const documentOf = ({
  name,
  prepare,
  create,
  receiver,
}: Quickstart): string => `${noticeOf('tools/generate/quickstarts.ts and the programs in docs/quickstart')}# Quickstart: ${name}

Create an endpoint, receive a signed event, and see the result of its delivery. It takes about five minutes.

## Prepare

Create an API key with the scope \`webhooks:write\` in the panel, under **API keys**. Set the URL of the service, the
key, and the public HTTPS URL of your receiver. If your receiver runs on your machine, use a tunnel, or [listen without an endpoint](#without-a-public-url).

${fence('sh', 'export HCTL_URL=https://panel.example.com\nexport HCTL_TOKEN=hctl_…\nexport WEBHOOK_URL=https://hooks.example.com/webhooks')}

${prepare}

## Create an endpoint

${program(create)}

The response contains the signing secret. Set the secret and the id for the next steps:

${fence('sh', 'export WEBHOOK_ID=…\nexport WEBHOOK_SECRET=whsec_…')}

## Receive

${receiver ? program(receiver) : withoutReceiver}

## Send a test event

${receiver ? inSecondTerminal : ''}${program(['curl/send-event.sh', ''])}

The receiver gets \`site.created\` with example data. Nothing on the platform changes.

## See what happened

${program(['curl/list-deliveries.sh', ''])}

\`status\` is \`succeeded\` when your receiver has responded with 2xx. Otherwise, \`attempts\` of the delivery and
[the table of errors](../../webhooks.md#when-deliveries-fail) say why. The panel shows the same under **Deliveries**.

## Without a public URL

\`hctl listen\` receives the organization's events on your machine and forwards them, signed, to a local server:

${fence('sh', `npm install --global "$HCTL_URL/downloads/hctl.tgz" ${fromUrl}\nhctl login\nhctl listen --forward-to http://localhost:3000/webhooks`)}

It prints the signing secret for your receiver. See [hctl](../cli.md).

## Next

- [Receiving webhooks](../../webhooks.md): duplicates, order, retries and the rotation of secrets
- [The OpenAPI document](../openapi.json), and the reference at \`/docs/api\`
`

const inSecondTerminal = `Leave the receiver running. In a second terminal, set the same variables, and send an event:

`

const withoutReceiver = `Any HTTPS server can receive events. [The guide](../../webhooks.md#verify) has tested code in five languages
that verifies the signature. With a shell, verify a stored body like this:

${fence('sh', readProgram('curl/verify.sh'))}`

function program([file, command]: readonly [file: string, command: string]): string {
  const code = fence(languageOf(file), readProgram(file))
  if (command === '') return code
  const name = file.slice(file.indexOf('/') + 1)
  return `\`${name}\`:\n\n${code}\n\n${fence('sh', command)}`
}

/** GitHub's name for the language of a file. */
function languageOf(file: string): string {
  const extension = extname(file).slice(1)
  return { py: 'python' }[extension] ?? extension
}

function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``
}

function readProgram(file: string): string {
  return readFileSync(`${root}docs/quickstart/${file}`, 'utf8')
}
