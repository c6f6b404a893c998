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
import { openApiText } from './generate/openapi.ts'
import { operationsModule } from './generate/operations.ts'
import { problemsDocument } from './generate/problems.ts'
import { quickstartFiles } from './generate/quickstarts.ts'
import { runbookHtml } from './generate/runbook.ts'
import { platformSdkTypes, sdkTypes } from './generate/sdk-types.ts'
import { verifySnippets } from './generate/verify-snippets.ts'
import { webhookVectorsText } from './generate/webhook-vectors.ts'
import { root } from './run.ts'

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
