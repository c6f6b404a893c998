import { expect } from '@jest/globals'
import type { Journeys, Walk } from './walk.ts'

const box = ({ page }: Walk, name: string) => page.getByRole('checkbox', { name, exact: true })

export const keyJourneys: Journeys = {
  'creates a key, narrows, rotates, disables and enables it': async (walk) => {
    const { page } = walk
    await walk.enter('/keys')
    await walk.follow('Create key')
    await walk.write({ Name: 'Nightly report' })
    await box(walk, 'read sites').check()
    await box(walk, 'write webhooks').check()
    await walk.write({ 'Allowed IP addresses (optional)': '127.0.0.1\n::1' })
    await walk.press('Create key')
    const token = await walk.takeSecret()
    expect((await walk.tryToken(token)).body.key).toMatchObject({
      name: 'Nightly report',
      scopes: ['sites:read', 'webhooks:write'],
    })
    await page.reload()
    expect(await page.content()).not.toContain(token)
    expect(await walk.text()).toContain('The token is no longer available')

    await walk.follow('Go to key')
    await walk.follow('Edit')
    await box(walk, 'write webhooks').uncheck()
    await walk.press('Save changes')
    await walk.shows('Changes saved.')
    expect((await walk.tryToken(token, '/webhooks')).status).toBe(403)

    await walk.follow('Rotate')
    await page.getByLabel('None').check()
    await walk.press('Rotate key')
    await walk.press('Rotate now')
    const rotated = await walk.takeSecret()
    expect((await walk.tryToken(token)).status).toBe(401)
    expect((await walk.tryToken(rotated)).status).toBe(200)

    await walk.follow('Done')
    await walk.follow('Disable')
    await walk.press('Disable key')
    await walk.shows('Key disabled.')
    expect((await walk.tryToken(rotated)).status).toBe(401)
    await walk.press('Enable')
    await walk.shows('Key enabled.')
    expect((await walk.tryToken(rotated)).status).toBe(200)
  },

  'revokes a key with the keys that were created with it': async (walk) => {
    const { person } = await walk.enter('/keys/new')
    await walk.write({ Name: 'Bootstrap' })
    await walk.page.getByRole('checkbox', { name: /^Full access/ }).check()
    await walk.press('Create key')
    const token = await walk.takeSecret()
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const body = { name: 'Made by a program', scopes: ['*:read'], expires_at }
    const child = await walk.api.call('post', '/api-keys', { token, body })
    expect(child.status).toBe(201)

    await walk.follow('Done')
    await walk.shows('Created with this key')
    await walk.follow('Revoke')
    await walk.shows('This cannot be undone')
    await walk.page.getByLabel('Also revoke everything that was created with this key').check()
    await walk.press('Revoke key')
    await walk.shows('Key revoked with the keys that were created with it.')
    for (const gone of [token, child.body.token as string]) {
      expect((await walk.tryToken(gone)).status).toBe(401)
    }
    await walk.go('/keys')
    expect(await walk.text()).not.toContain('Made by a program')
    await walk.filter({ Status: 'Revoked' })
    expect(await walk.rows().count()).toBe(2)
    expect((await walk.callAs(person)('get', '/api-keys')).body.items).toHaveLength(2)
  },

  'sets the key policy of the organization, and finds the keys that violate it': async (walk) => {
    const { page } = walk
    const { call } = await walk.enter('/organization')
    const body = { name: 'Old script', scopes: ['*:read'] }
    await call('post', '/api-keys', { body })
    await walk.follow('Change key policy')
    await walk.write({ 'Maximum lifetime in days': '99999' })
    await walk.press('Save key policy')
    await page.getByRole('alert').waitFor()
    await walk.write({ 'Maximum lifetime in days': '30' })
    await page.getByLabel('Required').check()
    await walk.press('Save key policy')
    await walk.shows('Key policy saved.')
    await walk.shows('Some keys violate the key policy')
    await walk.follow('Show the keys')
    expect(await walk.rows().count()).toBe(1)
    expect(await walk.rows().textContent()).toContain('Lifetime too long, no IP allowlist')

    await walk.go('/keys/new')
    await walk.write({ Name: 'New script' })
    await box(walk, 'read sites').check()
    await walk.press('Create key')
    expect(await page.getByRole('alert').textContent()).toContain('Allowed IP addresses')
    await walk.write({ 'Allowed IP addresses': '127.0.0.1' })
    await walk.press('Create key')
    expect((await walk.tryToken(await walk.takeSecret())).status).toBe(200)
  },
}
