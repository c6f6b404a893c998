// Writes what the API serves under `/docs` and `/downloads` to apps/api/dist/site, from the documents and the
// built packages. A step of `npm run build`. Writes nothing if no input is newer than the last run.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isCurrent } from './is-current.ts'
import { root } from './run.ts'
import { buildDownloads } from './site/downloads.ts'
import { sitePages, type Audience } from './site/pages.ts'
import { renderPage, type RenderedPage } from './site/render-page.ts'

const folder = `${root}apps/api/dist/site`
const stamp = `${folder}/.built`

const inputs = [
  'tools/build-site.ts',
  'tools/site/*.ts',
  'apps/api/src/docs/downloads/packages.ts',
  'docs/**/*.{md,json,php,py,go}',
  'tools/clients/version.ts',
  'clients/python/{README.md,CHANGELOG.md,LICENSE}',
  'clients/python/hosting_sdk/**/*.py',
  'packages/{sdk,platform-sdk}/{README.md,CHANGELOG.md,LICENSE,package.json}',
  'packages/{sdk,platform-sdk}/dist/**/*.js',
  'apps/cli/{README.md,CHANGELOG.md,LICENSE,package.json}',
  'apps/cli/{dist,man}/**/*.{js,1}',
]

if (!(await isCurrent(stamp, inputs))) await build()

async function build(): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const pages = { customers: renderAll('customers'), platform: renderAll('platform') }
  writeFileSync(`${folder}/pages.json`, JSON.stringify(pages))
  copyFileSync(`${root}docs/generated/webhook-vectors.json`, `${folder}/vectors.json`)
  copyFileSync(`${root}docs/generated/hosting.schema.json`, `${folder}/hosting.schema.json`)
  await buildDownloads(folder)
  writeFileSync(stamp, '')
}

function renderAll(audience: Audience): Record<string, RenderedPage> {
  return Object.fromEntries(
    sitePages[audience].map(({ url, source }) => [
      url,
      renderPage({ source, audience }, readFileSync(root + source, 'utf8')),
    ]),
  )
}
