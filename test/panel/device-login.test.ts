import { describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { makeSignedIn } from '../support/session.ts'
import { startLogin } from './panel-stack.ts'
import { headingOf, visitorOf } from './visitor.ts'
import { enterPanel } from './enter.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32', PUBLIC_URL: 'http://panel.test' })

/** A signed-in administrator with a browser. */
const enter = (options?: Parameters<typeof enterPanel>[1]) => enterPanel(api, options)

describe('a code from another network', () => {
  test('must be typed even if a link contains it; the page warns, names both networks and hides the code', async () => {
    const { visitor } = await enter()
    const { user_code, device_code } = await startLogin(api)
    const { text } = await visitor.submit('/device', {
      do: 'review',
      user_code,
      linked_code: user_code.toLowerCase(),
    })
    for (const words of ['requested from a different network', '198.51.100.0/24', '127.0.0.0/24']) {
      expect(text).toContain(words)
    }
    expect(text).not.toContain('class="user-code"')
    const approve = { do: 'approve_full', user_code }
    for (const typed_code of ['', 'BCDF-GHJK']) {
      const refused = await visitor.submit('/device/review', { ...approve, typed_code })
      expect(refused.text).toContain('is not the code of this request')
    }
    const poll = async () =>
      (await api.call('post', '/auth/device/token', { body: { device_code } })).body as {
        code?: string
        token?: string
      }
    expect((await poll()).code).toBe('authorization_pending')
    const typed_code = user_code.toLowerCase().replace('-', ' ')
    const approved = await visitor.submit('/device/review', { ...approve, typed_code })
    expect(headingOf(approved)).toBe('Device authorized')
    expect((await poll()).token).toMatch(/^hctl_/)
  })

  test('does not need to be typed again, nor for a denial', async () => {
    const { visitor } = await enter()
    const typed = await startLogin(api)
    const { text } = await visitor.submit('/device', { do: 'review', user_code: typed.user_code })
    expect(text).toContain('requested from a different network')
    expect(text).toContain('class="user-code"')
    expect(text).not.toContain('typed_code')
    const { user_code } = await startLogin(api)
    await visitor.submit('/device', { do: 'review', user_code, linked_code: user_code })
    const denied = await visitor.submit('/device/review', { do: 'refuse', user_code })
    expect(headingOf(denied)).toBe('Request denied')
  })

  test('is not required to be typed in the same network', async () => {
    const { visitor } = await enter()
    const start = { client_name: 'laptop' }
    const { body } = await api.call('post', '/auth/device/code', { body: start })
    const { user_code } = body as { user_code: string }
    const fields = { do: 'review', user_code, linked_code: user_code }
    const { text } = await visitor.submit('/device', fields)
    expect(text).not.toContain('requested from a different network')
    expect(text).toContain('class="user-code"')
  })
})

describe('a device login', () => {
  test('a code in the URL prefills the field and changes nothing', async () => {
    const { visitor } = await enter()
    const { user_code, device_code } = await startLogin(api)
    const { text } = await visitor.get(`/device?user_code=${user_code}`)
    expect(text).toContain(`value="${user_code}"`)
    for (let wrong = 0; wrong < 7; wrong++) await visitor.get('/device?user_code=BCDF-GHJK')
    await visitor.submit('/device', { do: 'review', user_code })
    const poll = await api.call('post', '/auth/device/token', { body: { device_code } })
    expect(poll.body.code).toBe('authorization_pending')
  })

  test('case, spaces and dashes of a code are ignored', async () => {
    const { visitor } = await enter()
    const { user_code } = await startLogin(api)
    const typed = user_code.toLowerCase().replace('-', '').split('').join(' ')
    const { text } = await visitor.submit('/device', { do: 'review', user_code: typed })
    expect(text).toContain(user_code)
  })

  test('the page explains what is wrong with a code and keeps it in the field', async () => {
    const { visitor } = await enter()
    for (const [code, words] of [
      ['', 'Code is required.'],
      ['ABCD-1234', 'no digits and no vowels'],
      ['BCDF-GHJK', 'Code is unknown or has expired.'],
    ] as const) {
      const { text } = await visitor.submit('/device', { do: 'review', user_code: code })
      expect(text).toContain(words)
      const field = /<input[^>]*id="field-user_code"[^>]*>/.exec(text)![0]
      expect(/ value="([^"]*)"/.exec(field)?.[1] ?? '').toBe(code)
      expect(field).toContain('aria-invalid="true"')
    }
  })

  test('after five wrong codes no code is accepted, even a valid one', async () => {
    const { visitor } = await enter()
    const { user_code } = await startLogin(api)
    for (let wrong = 0; wrong < 5; wrong++) {
      await visitor.post('/device', { do: 'review', user_code: 'BCDF-GHJK' })
    }
    const { text } = await visitor.submit('/device', { do: 'review', user_code })
    expect(text).toMatch(/Wait \d+ minutes, then try again/)
  })

  test('a second decision has no effect', async () => {
    for (const [first, second, title, code] of [
      ['approve_full', 'refuse', 'Device authorized', undefined],
      ['refuse', 'approve_read_only', 'Request denied', 'access_denied'],
      ['refuse', 'refuse', 'Request denied', 'access_denied'],
    ] as const) {
      const { visitor } = await enter()
      const { user_code, device_code } = await startLogin(api)
      await visitor.submit('/device', { do: 'review', user_code })
      const done = await visitor.submit('/device/review', { do: first, user_code })
      expect(headingOf(done)).toBe(title)
      const again = await visitor.submit('/device/review', { do: second, user_code })
      expect(headingOf(again)).toBe(title)
      expect(again.text).toContain('already decided')
      const poll = await api.call('post', '/auth/device/token', { body: { device_code } })
      expect(poll.body.code).toBe(code)
    }
  })

  test('concurrent decisions take effect once', async () => {
    const { visitor, tenant } = await enter()
    const { user_code } = await startLogin(api)
    await visitor.submit('/device', { do: 'review', user_code })
    const pages = await Promise.all(
      ['approve_full', 'approve_full', 'refuse'].map((action) =>
        visitor.post('/device/review', { do: action, user_code }),
      ),
    )
    expect(pages.map(({ status }) => status)).toEqual([303, 303, 303])
    const decisions = await api.database.prisma.auditEvent.count({
      where: { tenantId: tenant.id, action: { in: ['device.approve', 'device.refuse'] } },
    })
    expect(decisions).toBe(1)
  })

  test('the page lists the accounts of the person by name, and limits the key to the chosen ones', async () => {
    const tenant = await api.makeTenant()
    const [mine, other] = [await tenant.makeAccount(), await tenant.makeAccount()]
    const hostile = { tenant_id: tenant.id, name: '<b>Shop</b>' }
    await api.callInternal('put', `/accounts/${mine}`, hostile)
    const person = await makeSignedIn(api, tenant, { roles: ['customer'], accounts: [mine] })
    const visitor = visitorOf(api, person)
    const { user_code, device_code } = await startLogin(api)
    const page = await visitor.submit('/device', { do: 'review', user_code })
    expect(page.text).toContain('&lt;b>Shop&lt;/b>')
    expect(page.text).toContain(`value="${mine}"`)
    expect(page.text).not.toContain(other)
    const decision = { do: 'approve_full', user_code }
    const refused = await visitor.submit('/device/review', { ...decision, accounts: other })
    expect(refused.text).toContain('role="alert"')
    const done = await visitor.submit('/device/review', { ...decision, accounts: mine })
    expect(headingOf(done)).toBe('Device authorized')
    const { body } = await api.call('post', '/auth/device/token', { body: { device_code } })
    expect(body.key.accounts).toEqual([mine])
  })

  test('without a choice the key is not limited, and with more than 100 accounts ids are entered', async () => {
    const { visitor, tenant } = await enter()
    const account = await tenant.makeAccount()
    for (const [count, field] of [
      [0, 'type="checkbox" name="accounts"'],
      [100, '<textarea'],
    ] as const) {
      await api.database.pool.query(
        `INSERT INTO accounts (id, tenant_id, name) SELECT gen_random_uuid(), $1, 'Account' FROM generate_series(1, $2)`,
        [tenant.id, count],
      )
      const { user_code, device_code } = await startLogin(api)
      const page = await visitor.submit('/device', { do: 'review', user_code })
      expect(page.text).toContain(field)
      const accounts = count === 0 ? '' : `${account}\n`
      await visitor.submit('/device/review', { do: 'approve_read_only', user_code, accounts })
      const { body } = await api.call('post', '/auth/device/token', { body: { device_code } })
      expect(body.key.accounts).toEqual(count === 0 ? null : [account])
    }
  })

  test('each of two tabs decides the request that it shows', async () => {
    const { visitor } = await enter()
    const [one, two] = [await startLogin(api), await startLogin(api)]
    await visitor.submit('/device', { do: 'review', user_code: one.user_code })
    await visitor.submit('/device', { do: 'review', user_code: two.user_code })
    await visitor.submit('/device/review', { do: 'refuse', user_code: one.user_code })
    const codes = await Promise.all(
      [one, two].map(async ({ device_code }) => {
        const { body } = await api.call('post', '/auth/device/token', { body: { device_code } })
        return body.code as string
      }),
    )
    expect(codes).toEqual(['access_denied', 'authorization_pending'])
  })

  test.each([
    [null, '90 days'],
    [7, '7 days'],
    [1, '1 day'],
    [365, '90 days'],
  ])(
    'the page says how long the key is valid under a maximum of %j days: %s',
    async (max, days) => {
      const { visitor, call } = await enter()
      const body = {
        max_lifetime_days: max,
        ip_allowlist_required: false,
        personal_keys_allowed: true,
      }
      expect((await call('put', '/tenant/key-policy', { body })).status).toBe(200)
      const { user_code } = await startLogin(api)
      const { text } = await visitor.submit('/device', { do: 'review', user_code })
      expect(text).toContain(`${days}. You can revoke the key under API keys at any time.`)
      expect(text).not.toMatch(new RegExp(`\\d${days}`))
    },
  )

  test('approving needs a recent confirmation; denying does not', async () => {
    const { visitor } = await enter({ confirmedMsAgo: 301_000 })
    const { user_code } = await startLogin(api)
    await visitor.submit('/device', { do: 'review', user_code })
    const approval = await visitor.post('/device/review', { do: 'approve_full', user_code })
    expect({ status: approval.status, to: approval.headers['location'] }).toEqual({
      status: 303,
      to: '/confirm?next=%2Fdevice%2Freview',
    })
    const refusal = await visitor.submit('/device/review', { do: 'refuse', user_code })
    expect(headingOf(refusal)).toBe('Request denied')
  })
})
