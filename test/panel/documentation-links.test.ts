import { expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })

test.each([
  ['/', '/docs/cli#install'],
  ['/', '/docs/api'],
  ['/keys', '/docs/cli#install'],
  ['/keys', '/docs'],
  ['/device', '/docs/cli#install'],
])('the panel leads from %s to %s', async (path, target) => {
  const visitor = visitorOf(api, await makeSignedIn(api, await api.makeTenant()))
  expect((await visitor.get(path)).text).toContain(`href="${target}"`)
  const { status, text } = await visitor.get(target)
  expect(status).toBe(200)
  const [, anchor] = target.split('#')
  expect(text).toContain(anchor === undefined ? '<main' : `id="${anchor}"`)
})
