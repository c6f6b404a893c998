import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { callWith, makeSession, makeSignedIn } from '../support/session.ts'
import { visitorOf, type Visitor } from './visitor.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32', PUBLIC_URL: 'http://panel.test' })

describe('dangerous actions', () => {
  let visitor: Visitor
  let ids: { key: string; webhook: string; session: string }

  beforeAll(async () => {
    const tenant = await api.makeTenant()
    const person = await makeSignedIn(api, tenant)
    const call = callWith(api, person)
    const hook = { url: 'https://example.com/hooks', events: ['*'] }
    ids = {
      key: (await call('post', '/api-keys', { body: { name: 'CI', scopes: ['*'] } })).body.key.id,
      webhook: (await call('post', '/webhooks', { body: hook })).body.webhook.id,
      session: (await makeSession(api, person.userId)).id,
    }
    const factor = { userId: person.userId, encryptedSeed: '', activatedAt: new Date() }
    await api.database.prisma.totpFactor.create({ data: { ...factor, createdAt: new Date() } })
    visitor = visitorOf(api, person)
  })

  /** Where each action starts, the page that asks, the action, and the consequence that the page states. */
  const actions: readonly (readonly [from: string, to: string, action: string, says: string])[] = [
    ['/keys/:key', '/keys/:key/revoke', 'revoke', 'The key stops working immediately'],
    ['/keys/:key', '/keys/:key/disable', 'disable', 'All requests with it are rejected'],
    ['/webhooks/:webhook', '/webhooks/:webhook/disable', 'disable', 'receives nothing until'],
    [
      '/webhooks/:webhook/settings',
      '/webhooks/:webhook/delete',
      'delete',
      'Waiting deliveries fail',
    ],
    ['/security', '/security/sessions/end', 'end-others', 'signed out immediately'],
    ['/security', '/security/sessions/:session/end', 'end', 'signed out immediately'],
    ['/security', '/security/authenticator/remove', 'remove', 'only by your password'],
  ]

  const pathOf = (path: string): string =>
    path.replace(':key', ids.key).replace(':webhook', ids.webhook).replace(':session', ids.session)

  /** The part of a page that is its own, without the navigation. */
  const mainOf = async (path: string): Promise<string> =>
    /<main[^]*<\/main>/.exec((await visitor.get(pathOf(path))).text)![0]

  test.each(actions)('from %s to %s look dangerous and say what happens', async (...row) => {
    const [from, to, action, says] = row
    const start = await mainOf(from)
    expect(start).toMatch(new RegExp(`<a class="button danger[^"]*" href="${pathOf(to)}"`))
    expect(start).not.toContain(`name="do" value="${action}"`)
    const asked = await mainOf(to)
    expect(asked).toMatch(/class="alert (warn|bad)"/)
    expect(asked).toContain(says)
    expect(asked).toMatch(new RegExp(`name="do" value="${action}"[^]*class="button danger"`))
    expect(asked).toMatch(/<a class="button "[^>]*>Cancel<\/a>/)
  })

  test.each([
    ['/keys/:key/rotate', 'api_key.rotate', 'The current token stops working immediately'],
    ['/webhooks/:webhook/rotate', 'webhook.rotate_secret', 'The current secret stops working'],
  ])(
    '%s asks for confirmation before it rotates without an overlap period',
    async (path, action, says) => {
      const place = pathOf(path)
      const count = () => api.database.prisma.auditEvent.count({ where: { action } })
      const before = await count()
      const asked = await visitor.submit(place, { do: 'rotate', grace_seconds: '0' })
      expect(asked.text).toContain(says)
      expect(asked.text).toMatch(/class="button danger">Rotate now/)
      expect(await count()).toBe(before)
      const confirmed = { do: 'rotate', grace_seconds: '0', confirmed: 'true' }
      expect((await visitor.submit(place, confirmed)).text).toContain('id="secret"')
      expect(await count()).toBe(before + 1)
    },
  )

  test('another person’s session and the current session are not found', async () => {
    const stranger = await makeSignedIn(api, await api.makeTenant())
    const path = `/security/sessions/${stranger.sessionId}/end`
    expect(await visitor.get(path)).toMatchObject({ status: 404 })
  })
})
