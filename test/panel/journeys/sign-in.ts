import { readFileSync } from 'node:fs'
import { expect } from '@jest/globals'
import { codeOf } from '../../../apps/api/test/support/sign-in.ts'
import { makePerson } from '../../support/session.ts'
import { startLogin } from '../panel-stack.ts'
import { withPassword, type Journeys, type Walk } from './walk.ts'

/** Creates a person with a password, and returns their email address and id. */
const makeVisitor = ({ api, tenant }: Walk, accounts: readonly string[] = []) =>
  makePerson(api, tenant, { ...withPassword, name: 'Ana', accounts })

async function signIn(walk: Walk, email: string): Promise<void> {
  await walk.write({ 'Email address': email, Password: withPassword.password })
  await walk.press('Sign in')
}

async function poll({ api }: Walk, device_code: string) {
  const { body } = await api.call('post', '/auth/device/token', { body: { device_code } })
  return body as { token?: string; code?: string; key?: Record<string, unknown> }
}

/** Tabs to an element and returns; fails if it is not reached. */
async function tabTo({ page }: Walk, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    const focused = await page.evaluate(
      `(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()`,
    )
    if (focused === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${name} is not reached by Tab`)
}

export const signInJourneys: Journeys = {
  'turns on a second factor, signs in with it, and turns it off': async (walk) => {
    const { page } = walk
    const { email } = await makeVisitor(walk)
    await walk.go('/security')
    await signIn(walk, email)
    await walk.follow('Turn on')
    await walk.press('Show QR code')
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    const seed = (await page.locator('code').first().textContent())!.replaceAll(' ', '')
    await walk.write({ Code: '000000' })
    await walk.press('Turn on')
    await page.getByRole('alert').waitFor()
    await walk.write({ Code: codeOf(seed) })
    await walk.press('Turn on')
    const shown = (await page.locator('#codes').textContent())!
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    expect(readFileSync(await (await download).path(), 'utf8')).toBe(`${shown}\n`)
    const codes = shown.split('\n')
    expect(codes).toHaveLength(10)
    await page.reload()
    expect(await page.content()).not.toContain(codes[0])

    await walk.go('/sign-out')
    await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
    await walk.go('/keys')
    await signIn(walk, email)
    expect(await walk.heading()).toBe('Enter your code')
    expect(await page.content()).not.toContain(withPassword.password)
    await walk.write({ Code: '000000' })
    await walk.press('Verify')
    expect(await page.getByRole('alert').textContent()).toContain('Invalid credentials')
    await walk.write({ Code: codes[0]! })
    await walk.press('Verify')
    expect(await walk.heading()).toBe('API keys')
    await walk.go('/security')
    await walk.follow('Turn off')
    await walk.press('Turn off')
    await walk.shows('Two-factor authentication is off')
  },

  'signs in and approves a device with read access to one account': async (walk) => {
    const { api, tenant, page } = walk
    const account = await tenant.makeAccount()
    await tenant.makeAccount()
    await api.callInternal('put', `/accounts/${account}`, { tenant_id: tenant.id, name: 'Bakery' })
    const { email } = await makeVisitor(walk)
    const { user_code, device_code } = await startLogin(api)
    await walk.go(`/device?user_code=${user_code}`)
    expect(new URL(page.url()).pathname).toBe('/sign-in')
    await signIn(walk, email)
    expect(await page.getByLabel('Code').inputValue()).toBe(user_code)
    await walk.press('Continue')
    expect(await walk.heading()).toBe('Authorize this device?')
    const content = await walk.text()
    for (const words of [
      'This code was requested from a different network',
      '198.51.100.0/24',
      '127.0.0.0/24',
      'deny the request',
      'laptop of ana',
      'hctl/1.2 (linux)',
      email,
    ]) {
      expect(content).toContain(words)
    }
    expect(content).not.toContain(user_code)
    await walk.write({ 'Code that your own terminal shows': user_code.toLowerCase() })
    await page.getByRole('checkbox', { name: 'Bakery' }).check()
    await walk.press('Approve read-only access')
    expect(await walk.heading()).toBe('Device authorized')

    const { token, key } = await poll(walk, device_code)
    expect(key).toMatchObject({ scopes: ['*:read'], source: 'device', accounts: [account] })
    expect((await walk.tryToken(token!)).body).toMatchObject({ user: { email } })
    await page.reload()
    expect(await walk.text()).toContain('has received its key')
  },

  'confirms the identity for an approval, and sees the same login again': async (walk) => {
    const { page, ground } = walk
    const person = await makeVisitor(walk)
    const { user_code, device_code } = await startLogin(walk.api)
    await walk.go('/device')
    await signIn(walk, person.email)
    await ground.stack.database.pool.query(
      `UPDATE panel_sessions SET confirmed_at = now() - interval '6 minutes' WHERE user_id = $1`,
      [person.id],
    )
    await walk.write({ Code: user_code })
    await walk.press('Continue')
    await walk.press('Approve full access')
    expect(await walk.heading()).toBe('Confirm your identity')
    expect((await poll(walk, device_code)).code).toBe('authorization_pending')
    await walk.write({ Password: withPassword.password })
    await walk.press('Confirm')
    expect(await walk.heading()).toBe('Authorize this device?')
    expect(await page.locator('.user-code').textContent()).toContain(user_code)
    await walk.press('Approve full access')
    expect(await walk.heading()).toBe('Device authorized')
    expect((await poll(walk, device_code)).key).toMatchObject({ scopes: ['*'] })
  },

  'signs in and denies a device with the keyboard only': async (walk) => {
    const { page } = walk
    const { keyboard } = page
    const { email } = await makeVisitor(walk)
    const { user_code, device_code } = await startLogin(walk.api)
    await walk.go('/device')
    await tabTo(walk, 'Email address')
    await keyboard.type(email)
    await tabTo(walk, 'Password')
    await keyboard.type(withPassword.password)
    await Promise.all([page.waitForURL('**/device'), keyboard.press('Enter')])
    await page.locator('#field-user_code:focus').waitFor()
    await keyboard.type(user_code.toLowerCase().replace('-', ' '))
    await Promise.all([page.waitForURL('**/review'), keyboard.press('Enter')])
    await tabTo(walk, 'Skip to content')
    await keyboard.press('Enter')
    await tabTo(walk, 'Deny')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe(
      'solid',
    )
    await Promise.all([walk.shows('No access was granted'), keyboard.press('Enter')])
    expect((await poll(walk, device_code)).code).toBe('access_denied')
  },

  'signs out, and Back shows nothing': async (walk) => {
    const { page } = walk
    await walk.enter('/')
    await walk.openMenu()
    await page.getByRole('link', { name: 'Security' }).click()
    await walk.openMenu()
    await page.locator('.me > summary').click()
    await walk.press('Sign out')
    expect(await walk.heading()).toBe('Sign in')
    await page.goBack()
    expect(await walk.heading()).toBe('Sign in')
  },
}
