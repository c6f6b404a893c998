import { readBrand } from '@hosting/api'
import { describe, expect, test } from '@jest/globals'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { useApi } from '../support/api.ts'
import { testConfig } from '../support/environment.ts'
import { makeSignedIn, callWith } from '../support/session.ts'
import { writeTemporary } from '../support/temporary-folder.ts'
import { headingOf, visitorOf } from './visitor.ts'

const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>'
const brand = {
  KEY_PREFIX: 'acme',
  BRAND_NAME: 'Acme Cloud',
  BRAND_COLOR: '#0A6B3D',
  BRAND_LOGO: writeTemporary('logo.svg', logo),
}
const api = useApi(brand)
const unbranded = useApi()

const titleOf = async ({ url }: { url: string }): Promise<string> => {
  const response = await fetch(`${url}/api/v1/openapi.json`)
  return ((await response.json()) as { info: { title: string } }).info.title
}

describe('a branded panel', () => {
  test('shows its name, logo and color on its pages', async () => {
    const page = await visitorOf(api).get('/sign-in')
    expect(headingOf(page)).toBe('Sign in')
    expect(page.text).toContain('<title>Sign in · Acme Cloud</title>')
    expect(page.text).not.toContain('Hosting Control')
    const [, image] = /<img src="(\/assets\/logo\.\w+\.svg)"/.exec(page.text)!
    const served = await visitorOf(api).get(image!)
    expect(served.headers['content-type']).toMatch(/^image\/svg\+xml/)
    expect(served.headers['content-security-policy']).toContain("default-src 'none'")
    const [, style] = /href="(\/assets\/brand\.\w+\.css)"/.exec(page.text)!
    expect((await visitorOf(api).get(style!)).text).toContain('--accent-fill: light-dark(#0a6b3d')
  })

  test('has its name in the OpenAPI document and in authenticator apps', async () => {
    expect(await titleOf(api)).toBe('Acme Cloud API')
    const person = await makeSignedIn(api, await api.makeTenant())
    const enrolled = await callWith(api, person)('post', '/auth/factors/totp')
    expect(new URL(enrolled.body.otpauth_uri).searchParams.get('issuer')).toBe('Acme Cloud')
  })

  test('without a brand, the defaults are used everywhere', async () => {
    const { text } = await visitorOf(unbranded).get('/sign-in')
    expect(text).toContain('<title>Sign in · Hosting Control</title>')
    expect(text).not.toMatch(/brand\.\w+\.css|<img/)
    expect(await titleOf(unbranded)).toBe('Hosting Control API')
  })
})

describe('the prefix of keys', () => {
  const create = async (at: typeof api) => {
    const person = await makeSignedIn(at, await at.makeTenant())
    const body = { name: 'a key', scopes: ['*:read'] }
    const { status, body: made } = await callWith(at, person)('post', '/api-keys', { body })
    expect(status).toBe(201)
    return { person, key: made.key as { id: string }, token: made.token as string }
  }
  const statusOf = async (at: typeof api, token: string) =>
    (await at.call('get', '/auth/me', { token })).status

  test('a new key has the configured prefix and works with it only', async () => {
    const { token } = await create(api)
    expect(token).toMatch(/^acme_[a-z2-7]{12}_[0-9A-Za-z]{38}$/)
    expect(await statusOf(api, token)).toBe(200)
    expect(await statusOf(api, `hctl${token.slice(4)}`)).toBe(401)
  })

  test('a key with an earlier prefix keeps working, and gets the current prefix when rotated', async () => {
    const { token, key, person } = await create(unbranded)
    expect(token).toMatch(/^hctl_/)
    expect(await statusOf(api, token)).toBe(200)
    const rotated = await callWith(api, person)('post', `/api-keys/${key.id}/rotate`, { body: {} })
    expect(rotated.status).toBe(200)
    expect(rotated.body.token).toMatch(/^acme_/)
    expect(await statusOf(unbranded, rotated.body.token)).toBe(200)
    expect(await statusOf(api, token)).toBe(401)
  })
})

describe('a logo', () => {
  const read = (path: string) => () => readBrand(testConfig({ BRAND_LOGO: path }))

  test.each([
    ['is missing', () => join(writeTemporary('x.svg', ''), 'logo.svg')],
    ['is not an image', () => writeTemporary('text.svg', 'no image')],
    ['has another type', () => writeTemporary('logo.png', logo)],
    ['is larger than 256 KiB', () => writeTemporary('large.svg', logo + ' '.repeat(2 ** 18))],
  ])('is refused at startup if it %s', (_why, make) => expect(read(make())).toThrow(/BRAND_LOGO/))

  test('is accepted otherwise', () => {
    const path = writeTemporary('logo.png', '')
    writeFileSync(path, Buffer.from('89504e470d0a1a0a00', 'hex'))
    expect(read(path)().logo?.url).toMatch(/^\/assets\/logo\.\w+\.png$/)
  })
})
