import {
  generators,
  packageOf,
  type Generator,
  type Packages,
} from '../../test/interop/generators/generators.ts'
import { noticeOf } from './format.ts'
import { resultsTable } from './results-table.ts'

/** docs/generated/generators.md */
export const generatorsDocument =
  (): string => `${noticeOf('tools/generate/generators.ts and test/interop/generators')}# Generate a client

Where no [SDK](../sdk.md) fits, generate a client from the OpenAPI document. It describes everything that the API
accepts, and names the address of this service. Download it first:

\`\`\`sh
curl --fail --output openapi.json https://panel.example.com/api/v1/openapi.json
\`\`\`

A test generates a client with each of these versions, compiles it and calls the API with it: typed results and
problems, pages, a repeated \`Idempotency-Key\`, null and members that are left out, and responses with members and
values that do not exist yet.

${resultsTable('generators')}

Give the client the base URL \`https://panel.example.com/api/v1\` and the key as \`Authorization: Bearer <API_KEY>\`.
Responses [may get further members and values](../specification/requests.md#versions): do not configure a generator
to refuse them.
${Object.values<Generator>(generators).map(sectionOf).join('')}
## Other generators

These are not part of the test.

- openapi-generator's clients for Java need \`containerDefaultToNull=true\`, or a change sends \`events: []\` where you
  left it out, and never send null.
- ogen cannot generate \`webhooks.listen\`, a stream of Server-Sent Events.
- progenitor reads OpenAPI 3.0 only.
`

const installs: Readonly<Record<Packages, string>> = {
  npm: 'npm install --save-dev',
  python: 'pip install',
  go: 'go install',
}

const sectionOf = (generator: Generator): string => `
## ${generator.language}: ${generator.name}

\`\`\`sh
${installs[generator.packages]} ${quoted(packageOf(generator))}
${generator.packages === 'npm' ? 'npx ' : ''}${generator.command}
\`\`\`

${generator.note}
${Object.entries(generator.files ?? {})
  .map(([name, text]) => `\n\`${name}\`:\n\n\`\`\`${name.split('.').at(-1)}\n${text}\`\`\`\n`)
  .join('')}`

/** A word of a shell. */
const quoted = (text: string): string => (text.includes('[') ? `'${text}'` : text)
