import { settings } from '@hosting/core/configuration'
import { expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { crawlDocs } from './crawl.ts'

const api = useApi({
  KEY_PREFIX: 'acme',
  WEBHOOK_HEADER_PREFIX: 'Acme',
  WEBHOOK_USER_AGENT: 'Acme-Hooks/1',
})

/** The program of a reader may have a variable of this name too. */
const alsoOfPrograms = new Set(['PORT'])

const names = Object.values(settings)
  .map(({ variable }) => variable)
  .filter((name) => !alsoOfPrograms.has(name))
const pattern = new RegExp(`\\b(${names.join('|')})\\b`, 'g')

test("customers' pages name no setting, and show the installation's values", async () => {
  expect(names.length).toBeGreaterThan(50)
  const pages = [...(await crawlDocs(api.url))].map(([path, { text }]) => [path, text] as const)
  const others = ['/api/v1/openapi.json', '/docs/search?q=prefix', '/docs/changelog.atom']
  for (const path of others) {
    pages.push([path, await (await fetch(api.url + path)).text()])
  }
  expect(pages.length).toBeGreaterThan(100)
  const found = pages.flatMap(([path, text]) =>
    [...text.matchAll(pattern)].map(([name]) => `${path} ${name}`),
  )
  expect(found).toEqual([])
  const textOf = (path: string) => pages.find(([each]) => each === path)![1]
  for (const end of ['', '.md']) {
    expect(textOf(`/docs/specification/api-keys${end}`)).toContain('acme_abcdefghijkl_')
    expect(textOf(`/docs/specification/webhooks${end}`)).toContain('Acme-Signature')
    expect(textOf(`/docs/specification/webhooks${end}`)).toContain('Acme-Hooks/1')
  }
}, 60_000)
