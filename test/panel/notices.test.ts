import { beforeEach, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { createKeysByKey } from '../support/key-notices.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { writeNoticeTo } from '../support/written-notices.ts'
import { visitorOf, type Visitor } from './visitor.ts'

const api = useApi()
let visitor: Visitor
let call: ReturnType<typeof callWith>
let userId: string

beforeEach(async () => {
  const ana = await makeSignedIn(api, await api.makeTenant(), { name: 'Ana' })
  visitor = visitorOf(api, ana)
  call = callWith(api, ana)
  userId = ana.userId
})

/** Creates keys of which the person gets notices. */
const createKeys = (...names: string[]) => createKeysByKey(api, call, names)

const idsOf = async (): Promise<string[]> =>
  (await call('get', '/notices')).body.items.map(({ id }: { id: string }) => id)

/** What the bell of a page says. */
async function bellOf(path: string): Promise<string> {
  const { text } = await visitor.get(path)
  const bell = /<a class="bell"[^>]*>(.*?)<\/a>/s.exec(text)![1]!
  return bell
    .replaceAll(/<svg.*?<\/svg>/gs, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

test('the bell of every page counts the unread notices', async () => {
  expect(await bellOf('/')).toBe('Notices')
  await createKeys('first', 'second')
  for (const path of ['/', '/keys', '/notices', '/nothing']) {
    expect(await bellOf(path)).toBe('Notices 2 unread')
  }
})

test('the bell counts up to 99', async () => {
  for (let number = 1; number <= 101; number++)
    await writeNoticeTo(api.database, { people: [userId], occurrence: String(number) })
  expect(await bellOf('/')).toBe('Notices 99+ unread')
})

test('a notice links to its subject, and is marked as read without scripts', async () => {
  const [keyId] = await createKeys('<b>ci</b>', 'other')
  const page = await visitor.get('/notices')
  expect(page.status).toBe(200)
  expect(page.text).toContain(`<a href="/keys/${keyId}">API key “&lt;b>ci&lt;/b>” was created</a>`)
  const [, first] = await idsOf()
  const after = await visitor.submit('/notices', { do: 'read', id: first! })
  expect(after.text.match(/class="unread"/g)).toHaveLength(1)
  expect(await bellOf('/')).toBe('Notices 1 unread')
  expect((await visitor.get('/notices?unread=true')).text).not.toContain(`/keys/${keyId}`)
})

test('no line breaks within a time of a notice', async () => {
  const details = { opened_at: '2026-11-22T10:00:30.000Z', failed_attempts: 5 }
  await writeNoticeTo(api.database, { people: [userId], occurrence: 'w', details })
  expect((await visitor.get('/notices')).text).toContain(
    'have failed since <span class="nowrap">2026-11-22 10:00 UTC</span>. ',
  )
})

test('one button marks all notices as read', async () => {
  await createKeys('first', 'second')
  const { text } = await visitor.submit('/notices', { do: 'read-all' })
  expect(text).toContain('All notices are marked as read.')
  expect(text).not.toContain('Mark all as read')
  expect(await bellOf('/')).toBe('Notices')
})

test('the form without an id marks nothing', async () => {
  await createKeys('first')
  await visitor.submit('/notices', { do: 'read' })
  expect(await bellOf('/')).toBe('Notices 1 unread')
})

test('the settings for mail are changed on the security page', async () => {
  const { text } = await visitor.get('/security')
  expect(text.match(/name="email"[^>]*checked/g)).toHaveLength(3)
  const saved = await visitor.submit('/security', { do: 'notifications', email: ['api_keys'] })
  expect(saved.text).toContain('Changes saved.')
  expect((await call('get', '/auth/notification-settings')).body).toEqual({
    email: { webhooks: false, api_keys: true, security: false },
  })
  const cleared = await visitor.submit('/security', { do: 'notifications' })
  expect(cleared.text.match(/name="email"[^>]*checked/g)).toBeNull()
})
