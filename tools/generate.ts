// `npm run generate`: writes the files that are generated from the code. With `--check` it writes nothing and
// fails if a file is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { chartSchema, chartValues, exampleSecrets } from './generate/chart.ts'
import { pythonFiles } from './clients/python.ts'
import { cliDocument } from './generate/cli.ts'
import { configurationDocument, environmentExample } from './generate/configuration.ts'
import { embeddedDocuments } from './generate/embedded.ts'
import { generatorsDocument } from './generate/generators.ts'
import { hostingSchemaModule, hostingSchemaText } from './generate/hosting-schema.ts'
import { manPage } from './generate/man-page.ts'
import { metricsDocument } from './generate/metrics.ts'
import { oauthClientsDocument } from './generate/oauth-clients.ts'
import { operationsModule } from './generate/operations.ts'
import { quickstartFiles } from './generate/quickstarts.ts'
import { platformSdkTypes, sdkTypes } from './generate/sdk-types.ts'
import { verifySnippets } from './generate/verify-snippets.ts'
import { webhookVectorsText } from './generate/webhook-vectors.ts'
import { root } from './run.ts'
import { openApiDocument, publicRoutes } from '@hosting/api'
import { internalProblems, problemCatalog } from '@hosting/core/problems'
import { noticeOf } from './generate/format.ts'
import { Marked } from 'marked'
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id'
import { scrollTables } from './site/render-page.ts'

const notice = '<!-- Made by `npm run generate` from docs/operations.md. -->'

/**
 * packages/html/assets/runbook.html: the page that both services serve at `/operations/runbook`, with GitHub's anchors.
 * Links to other files of the repository become plain text, because the worker does not serve these files.
 */
function runbookHtml(): string {
  const marked = new Marked(gfmHeadingId(), {
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        return /^(#|\/|https?:)/.test(href) ? `<a href="${href}">${text}</a>` : text
      },
    },
  })
  const html = marked.parse(readFileSync(`${root}docs/operations.md`, 'utf8')) as string
  const withContents = scrollTables(html).replace('</h1>\n', `</h1>\n${contents()}`)
  return `${notice}\n<article>\n${withContents}</article>\n`
}

const contents = (): string => {
  const items = getHeadingList()
    .filter(({ level }) => level === 2)
    .map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>\n`)
  return `<nav class="contents" aria-label="Contents">\n<ol>\n${items.join('')}</ol>\n</nav>\n`
}

/** docs/generated/problems.md */
const problemsDocument =
  (): string => `${noticeOf('packages/core/src/problems/problems.ts')}# Problems

Every error is a problem document (RFC 9457) with one of these codes. The service shows each at
\`/problems/<code>\`.

${Object.entries(problemCatalog)
  .map(([code, { status, title, detail, explanation }]) => {
    const text = `## ${code}\n\n${status} ${title}. ${explanation}\n\n> ${detail}\n`
    return internalProblems.has(code) ? `<!-- platform -->\n\n${text}\n<!-- /platform -->\n` : text
  })
  .join('\n')}`

/** docs/generated/openapi.json */
const openApiText = (): string => `${JSON.stringify(openApiDocument(publicRoutes), null, 2)}\n`

const files: Readonly<Record<string, () => string | Promise<string>>> = {
  '.env.example': environmentExample,
  'apps/api/assets/verify-snippets.json': verifySnippets,
  'packages/html/assets/runbook.html': runbookHtml,
  'apps/cli/man/hctl.1': manPage,
  'apps/cli/src/generated/hosting-schema.ts': hostingSchemaModule,
  'apps/cli/src/generated/operations.ts': operationsModule,
  'deploy/helm/hosting-control/values.schema.json': chartSchema,
  'deploy/helm/hosting-control/values.yaml': chartValues,
  'deploy/helm/secrets.example.yaml': exampleSecrets,
  'docs/generated/cli.md': cliDocument,
  'docs/generated/configuration.md': configurationDocument,
  'docs/generated/generators.md': generatorsDocument,
  'docs/generated/hosting.schema.json': hostingSchemaText,
  'docs/generated/metrics.md': metricsDocument,
  'docs/generated/oauth-clients.md': oauthClientsDocument,
  'docs/generated/openapi.json': openApiText,
  'docs/generated/problems.md': problemsDocument,
  'docs/generated/webhook-vectors.json': webhookVectorsText,
  'packages/platform-sdk/src/generated/openapi.ts': platformSdkTypes,
  'packages/sdk/src/generated/openapi.ts': sdkTypes,
  ...pythonFiles(),
  ...quickstartFiles(),
}

const check = process.argv.includes('--check')
let stale = 0

for (const [name, make] of Object.entries({ ...files, ...embeddedDocuments })) {
  const text = await make()
  if (name in files) requireNotice(name, text)
  if (readOrEmpty(root + name) === text) continue
  if (check) {
    stale += 1
    process.stderr.write(`${name} is not current: run npm run generate\n`)
  } else {
    writeFileSync(root + name, text)
    process.stdout.write(`${name}\n`)
  }
}
process.exitCode = stale > 0 ? 1 : 0

/** People edit files that look like sources. JSON has no comments. */
function requireNotice(name: string, text: string): void {
  if (name.endsWith('.json') || text.split('\n')[0]!.includes('npm run generate')) return
  throw new Error(`The first line of ${name} does not say that it is generated`)
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
