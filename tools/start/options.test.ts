import { loadConfig } from '@hosting/core/configuration'
import { describe, expect, test } from '@jest/globals'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { root } from '../run.ts'
import { readStartOptions } from './options.ts'

describe('npm start', () => {
  test('without options has the default names and no platform', async () => {
    expect(await readStartOptions([])).toEqual({ brand: {}, withPlatform: false })
  })

  test('--platform starts the example platform', async () => {
    expect(await readStartOptions(['--platform'])).toMatchObject({ withPlatform: true })
  })

  test('--brand reads a folder, whose variables are a valid configuration', async () => {
    const { brand } = await readStartOptions(['--brand', `${root}examples/brand`])
    expect(existsSync(brand['BRAND_LOGO']!)).toBe(true)
    const servers = { DATABASE_URL: 'postgres://127.0.0.1/x', REDIS_URL: 'redis://127.0.0.1' }
    expect(loadConfig({ ...servers, ...brand })).toMatchObject({
      brandName: 'Northwind Cloud',
      keyPrefix: 'northwind',
      webhookHeaderPrefix: 'Northwind',
    })
  })

  test('names the file of a brand that it cannot read', async () => {
    await expect(readStartOptions(['--brand', `${root}docs`])).rejects.toThrow(
      /--brand: .*docs\/brand\.json cannot be read as JSON: ENOENT/,
    )
  })

  test.each([
    [{ NODE_OPTIONS: '--import=data:text/javascript,0' }, 'NODE_OPTIONS is not a variable'],
    [{ BRAND_NAME: 'Northwind', DATABASE_URL: 'x' }, 'DATABASE_URL is not a variable of a brand'],
    [JSON.parse('{"__proto__":{"PATH":"/tmp"}}'), '__proto__ is not a variable of a brand'],
    [{ BRAND_NAME: 1 }, 'BRAND_NAME must be a string'],
    [['BRAND_NAME'], 'must be a JSON object'],
    [null, 'must be a JSON object'],
  ])('--brand refuses %j', async (content: unknown, reason) => {
    const folder = makeTemporaryFolder()
    writeFileSync(join(folder, 'brand.json'), JSON.stringify(content))
    await expect(readStartOptions(['--brand', folder])).rejects.toThrow(reason)
  })

  test('refuses an option that it does not know', async () => {
    await expect(readStartOptions(['--branding', 'x'])).rejects.toThrow(/--branding/)
  })
})
