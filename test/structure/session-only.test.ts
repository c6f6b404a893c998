import { isSessionOnly, publicRoutes } from '@hosting/api'
import { expect, test } from '@jest/globals'
import { readSources } from './sources.ts'

test('the specification lists every request that is never available with a key', async () => {
  const [source] = await readSources('docs/specification/scopes.md')
  const [, section] = /^## Session only$([^]*?)^## /m.exec(source!.text)!
  const listed = [...section!.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/g)].map(
    ([, request]) => request!,
  )
  const requests = publicRoutes
    .filter(isSessionOnly)
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
  expect(listed.toSorted()).toEqual(requests.toSorted())
})
