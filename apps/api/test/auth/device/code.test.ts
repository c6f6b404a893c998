import { startApi } from '@hosting/api'
import type { Logger } from '@hosting/process'
import { describe, expect, test } from '@jest/globals'
import { connect, useApi } from '../../../../../test/support/api.ts'
import { testConfig } from '../../../../../test/support/environment.ts'
import { freshAddress } from '../../support/addresses.ts'
import {
  askForCodes,
  behindProxy,
  pass,
  poll,
  requestPath,
  rowOf,
  signIn,
  startLogin,
} from '../../support/device.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'

const api = useApi(behindProxy)
const published = useApi({ ...behindProxy, PUBLIC_URL: 'https://panel.example.test/' })
const limited = { status: 429, code: 'rate_limited' }

/** Returns how many of this number of concurrent starts succeed. The others must be refused by the rate limit. */
async function countStarts(times: number, addressOf: (index: number) => string): Promise<number> {
  const responses = await Promise.all(
    Array.from({ length: times }, (_, index) => askForCodes(api, { ip: addressOf(index) })),
  )
  const refused = responses.filter(({ status }) => status !== 200)
  for (const response of refused) expect(refusalOf(response)).toEqual(limited)
  return times - refused.length
}

describe('POST /auth/device/code', () => {
  test('200 returns the codes and where the user enters the user code', async () => {
    const response = await askForCodes(published)
    expect(response.headers['cache-control']).toBe('no-store')
    const { user_code, device_code } = response.body
    expect(user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(Buffer.from(device_code.replace(/^dc_/, ''), 'base64url')).toHaveLength(32)
    expect(response.body).toEqual({
      user_code,
      device_code,
      verification_uri: 'https://panel.example.test/device',
      verification_uri_complete: `https://panel.example.test/device?user_code=${user_code}`,
      expires_in: 600,
      interval: 5,
    })
  })

  test("the stored request has the client's name, address and User-Agent, and only hashes of the codes", async () => {
    const ip = freshAddress()
    const login = await startLogin(api, { ip, name: '  ana@laptop ' })
    const row = await rowOf(api, login)
    expect(row).toMatchObject({
      clientName: 'ana@laptop',
      ip,
      userAgent: 'hctl/1.2 (linux)',
      status: 'pending',
    })
    expect(row.expiresAt.getTime() - row.createdAt.getTime()).toBe(600_000)
    const { rows } = await api.database.pool.query<{ row: string }>(
      'SELECT d::text AS row FROM device_requests d',
    )
    const dump = rows.map(({ row: text }) => text).join('\n')
    for (const code of [login.device_code.slice(3), login.user_code, login.user_code.slice(0, 4)]) {
      expect(dump).not.toContain(code)
    }
  })

  test('credentials and Idempotency-Key are ignored, whatever their values', async () => {
    const headers = {
      authorization: 'Bearer nonsense',
      cookie: 'session=nonsense; __Host-session=nonsense',
      'idempotency-key': 'once',
      origin: 'https://elsewhere.example',
      'sec-fetch-site': 'cross-site',
    }
    const [first, second] = [
      await askForCodes(api, { headers }),
      await askForCodes(api, { headers }),
    ]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body.device_code).not.toBe(first.body.device_code)
    expect((await askForCodes(api, { headers: { 'idempotency-key': 'clé' } })).status).toBe(200)
  })

  test.each([
    [''],
    [' \u00a0 '],
    ['a'.repeat(65)],
    ['two\nlines'],
    ['at the end\n'],
    ['\u202egnp.exe'],
    ['\u2066abc\u2069'],
    ['nul\0'],
    ['\u200b\u2060'],
    ['\u{e0041}\u{e0042}'],
    ['\u3164'],
    ['\u2800'],
    ['\u0301\u0302'],
    ['\u00ad'],
  ])('422 validation_failed for the client_name %j', async (name) => {
    expect(refusalOf(await askForCodes(api, { name }))).toEqual(invalid('/client_name'))
  })

  test.each(['<script>alert(1)</script>', 'a'.repeat(64), ` ${'é'.repeat(64)} `, 'המחשב של אנה'])(
    'the client_name %j is stored without leading and trailing spaces, otherwise unchanged',
    async (name) => {
      expect((await rowOf(api, await startLogin(api, { name }))).clientName).toBe(name.trim())
    },
  )

  test('422 for another body; 400 repeats its code in `error`', async () => {
    const send = (body: unknown, type = 'application/json') =>
      api.call('post', '/auth/device/code', { body, headers: { 'content-type': type } })
    expect(refusalOf(await send({}))).toEqual(invalid('/client_name'))
    expect(refusalOf(await send({ client_name: 5 }))).toEqual(invalid('/client_name'))
    expect(refusalOf(await send({ client_name: 'a', scope: '*' }))).toEqual(invalid('/scope'))
    expect((await send({})).body).not.toHaveProperty('error')
    const malformed = await send('{"client_name"')
    expect(refusalOf(malformed)).toEqual({ status: 400, code: 'malformed_json' })
    expect(malformed.body.error).toBe('malformed_json')
    expect((await send('client_name=a', 'text/plain')).body.code).toBe('unsupported_media_type')
    expect((await send({ client_name: 'a'.repeat(300_000) })).body.code).toBe('payload_too_large')
  })

  test('a user code that another login has is generated again', async () => {
    const { pool } = api.database
    const other = await startLogin(api)
    await pool.query('CREATE SEQUENCE collisions')
    await pool.query(`CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('collisions') <= 2 THEN
        NEW.user_code_hash := '\\x${Buffer.from((await rowOf(api, other)).userCodeHash).toString('hex')}';
      END IF;
      RETURN NEW; END $$`)
    await pool.query(`CREATE TRIGGER collide BEFORE INSERT ON device_requests FOR EACH ROW
      EXECUTE FUNCTION collide()`)
    try {
      const login = await startLogin(api, { name: 'the third time' })
      expect(login.user_code).not.toBe(other.user_code)
      const { look } = await signIn(api)
      expect((await look(login)).body.request.client_name).toBe('the third time')
    } finally {
      await pool.query('DROP FUNCTION collide CASCADE')
      await pool.query('DROP SEQUENCE collisions')
    }
  })
})

describe('POST /auth/device/code: 429 rate_limited', () => {
  test('for the sixth pending login of an address, until one is decided, delivered or expired', async () => {
    const ip = freshAddress()
    const logins = await Promise.all(Array.from({ length: 5 }, () => startLogin(api, { ip })))
    const sixth = await askForCodes(api, { ip })
    expect(refusalOf(sixth)).toEqual(limited)
    expect(Number(sixth.headers['retry-after'])).toBeGreaterThan(590)
    expect(Number(sixth.headers['retry-after'])).toBeLessThanOrEqual(600)
    expect((await askForCodes(api, { ip: `${freshAddress()}, ${ip}` })).status).toBe(429)
    expect((await askForCodes(api)).status).toBe(200)
    const { approve, refuse } = await signIn(api)
    await refuse(logins[0]!)
    await startLogin(api, { ip })
    expect((await askForCodes(api, { ip })).status).toBe(429)
    await approve(logins[1]!)
    await startLogin(api, { ip })
    expect((await askForCodes(api, { ip })).status).toBe(429)
    await pass(api, 600_000, logins[2]!)
    await startLogin(api, { ip })
    expect((await askForCodes(api, { ip })).status).toBe(429)
  })

  test('for the eleventh start within a minute, even if the earlier logins were decided', async () => {
    const ip = freshAddress()
    const { refuse } = await signIn(api)
    const startedAt = performance.now()
    const logins = []
    for (let time = 0; time < 10; time++) {
      logins.push(await startLogin(api, { ip }))
      await refuse(logins.at(-1)!)
    }
    const eleventh = await askForCodes(api, { ip })
    expect(refusalOf(eleventh)).toEqual(limited)
    const elapsedSeconds = (performance.now() - startedAt) / 1_000
    expect(Number(eleventh.headers['retry-after'])).toBeGreaterThan(59 - elapsedSeconds)
    expect(Number(eleventh.headers['retry-after'])).toBeLessThanOrEqual(60)
    await pass(api, 60_000, logins[0]!)
    await startLogin(api, { ip })
    expect((await askForCodes(api, { ip })).status).toBe(429)
  })

  test('five concurrent starts succeed per address or IPv6 /64', async () => {
    expect(await countStarts(6, () => '198.18.0.1')).toBe(5)
    const [network] = /^.*:(?=\w+::1$)/.exec(freshAddress())!
    const block = `${network}1`
    expect(await countStarts(12, (index) => `${block}::${index + 1}`)).toBe(5)
    expect((await askForCodes(api, { ip: `${network}2::1` })).status).toBe(200)
  })

  test("concurrent starts get no more than the rest of the minute's limit", async () => {
    const ip = freshAddress()
    const { refuse } = await signIn(api)
    for (let time = 0; time < 7; time++) await refuse(await startLogin(api, { ip }))
    expect(await countStarts(12, () => ip)).toBe(3)
  })
})

test('no log line contains the codes', async () => {
  const lines: string[] = []
  const keep = (...entry: unknown[]) => void lines.push(JSON.stringify(entry))
  const log = {
    debug: keep,
    info: keep,
    warn: keep,
    error: keep,
    isLevelEnabled: () => true,
  } as unknown as Logger
  const running = await startApi(testConfig(behindProxy), log)
  try {
    const logging = connect(api.database, running)
    const login = await startLogin(logging)
    const { look, refuse } = await signIn(logging)
    const spaced = { user_code: login.user_code.replace('-', ' ') }
    await Promise.all([look(login), look(spaced), refuse(login)])
    await poll(logging, login)
    await logging.call('get', `/device?user_code=${login.user_code}`)
    const text = lines.join('\n')
    expect(text).toContain('/auth/device/token')
    expect(text).toContain(requestPath({ user_code: '' }))
    for (const half of login.user_code.split('-')) expect(text).not.toContain(half)
    expect(text).not.toContain(login.device_code.slice(3))
  } finally {
    await running.close()
  }
})
