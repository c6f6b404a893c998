import { createUuidv7At } from '@hosting/core/ids'
import { beforeAll, expect, test } from '@jest/globals'
import type { TestTenant } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { callWith, makePerson, makeSignedIn, type TestSession } from '../support/session.ts'
import { useStack } from '../support/stack.ts'
import { holdCookie, openPage } from './panel-stack.ts'

describeInBrowser('the audit log in Chromium', () => {
  const stack = useStack()
  const browser = useBrowser()
  let tenant: TestTenant
  let ana: TestSession
  let bob: TestSession
  let keyId: string

  beforeAll(async () => {
    tenant = await stack.api.makeTenant()
    ana = await makeSignedIn(stack.api, tenant, { name: 'Ana' })
    bob = await makeSignedIn(stack.api, tenant, { name: 'Bob' })
    const asAna = callWith(stack.api, ana)
    const body = { name: 'Deploy script', scopes: ['webhooks:write'] }
    const made = (await asAna('post', '/api-keys', { body })).body
    keyId = made.key.id
    await stack.api.call('post', '/webhooks', {
      token: made.token,
      body: { url: 'https://example.com/hook', events: ['*'], description: 'Pager' },
    })
    await stack.api.call('get', '/api-keys', { token: made.token })
    await callWith(stack.api, bob)('post', '/api-keys', { body: { ...body, name: 'Other' } })
    await makePerson(stack.api, tenant, { name: 'Silent' })
  })

  async function enter(path: string, viewport = { width: 1280, height: 800 }) {
    const context = await browser.open({ viewport, timezoneId: 'Asia/Kolkata' })
    await holdCookie(stack, context, ana.cookie)
    const page = await openPage(context)
    await page.goto(stack.api.url + path)
    return page
  }

  test('the actions and people to choose from are those in the log', async () => {
    const page = await enter('/audit')
    const optionsOf = (label: string) => page.getByLabel(label).locator('option').allTextContents()
    expect(await optionsOf('Action')).toEqual([
      'Any action',
      'api_key.create',
      'api_key.refuse',
      'tenant.create',
      'user.create',
      'webhook.create',
    ])
    expect(await optionsOf('Person')).toEqual(['Anyone', 'Ana', 'Bob'])
    await page.locator('.filter-menu > summary').click()
    await page.getByLabel('Action').selectOption('api_key.create')
    await page.getByLabel('Person').selectOption('Bob')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.waitForURL(/actor_id=/)
    expect(new URL(page.url()).search).toBe(`?action=api_key.create&actor_id=${bob.userId}`)
    expect(await page.locator('.list tbody tr').count()).toBe(1)
    expect(await page.locator('.list tbody').textContent()).toContain('Other')
    expect(page.complaints).toEqual([])
  })

  test('targets and keys are named and linked', async () => {
    const page = await enter('/audit')
    const row = page.locator('.list tbody tr').filter({ hasText: 'webhook.create' })
    expect(await row.textContent()).toMatch(/Ana.*with key Deploy script.*Pager.*Endpoint/)
    await row.click()
    expect(await row.getByRole('link', { name: 'Key Deploy script' }).getAttribute('href')).toBe(
      `/keys/${keyId}`,
    )
    await row.getByRole('link', { name: 'Pager', exact: true }).click()
    await page.waitForURL(/\/webhooks\//)
  })

  test('ids and addresses fit on one line at 1,280 px, and wide screens are used', async () => {
    const page = await enter('/audit')
    const lines = await page
      .locator('.list.audit :is(.lead-text, time, .ip)')
      .evaluateAll((elements) =>
        elements.map((element) => (element as unknown as Element).getClientRects().length),
      )
    expect(lines.length).toBeGreaterThan(8)
    expect(new Set(lines)).toEqual(new Set([1]))
    const rows = await page.locator('.list tbody tr').evaluateAll(heightsOf)
    expect(Math.max(...rows)).toBeLessThanOrEqual(44)
    await page.setViewportSize({ width: 1920, height: 1000 })
    const width = await page.locator('.list').evaluate(widthOf)
    expect(width).toBeGreaterThan(1_400)
  })

  test('an invalid filter keeps the form and explains the error', async () => {
    const page = await enter('/audit?key_id=x&since=2026-13-01T00:00')
    const alert = (await page.getByRole('alert').allTextContents()).join('\n')
    expect(alert).toContain('Key ID: “x” is not a key ID (12 letters and digits).')
    expect(alert).toContain('From: “2026-13-01T00:00” is not a date and time.')
    await page.getByRole('link', { name: 'Clear' }).click()
    expect(await page.locator('.list tbody tr').count()).toBe(8)
  })

  test('Newer leads back page by page', async () => {
    const start = Date.now() - 3_600_000
    await stack.database.prisma.auditEvent.createMany({
      data: Array.from({ length: 160 }, (_, index) => ({
        id: createUuidv7At(start + index),
        tenantId: tenant.id,
        occurredAt: new Date(start + index),
        action: 'test.many',
        outcome: 'success',
        actorType: 'system',
      })),
    })
    const page = await enter('/audit?action=test.many')
    const seen: string[] = []
    const follow = async (name: string): Promise<void> => {
      seen.push((await page.locator('.list time').first().getAttribute('datetime'))!)
      await page.getByRole('link', { name, exact: true }).click()
      await page.waitForLoadState()
    }
    for (const name of ['Older', 'Older', 'Older', 'Newer', 'Newer', 'Newer']) await follow(name)
    expect(await page.getByRole('link', { name: 'Newer' }).count()).toBe(0)
    expect(new Set(seen.slice(0, 4)).size).toBe(4)
    expect(seen.slice(4)).toEqual([seen[2], seen[1]])
    expect(new URL(page.url()).search).toBe('?action=test.many')
  })
})

interface Box {
  readonly offsetHeight: number
  readonly offsetWidth: number
}

const heightsOf = (rows: unknown[]): number[] =>
  rows.map((row) => (row as { offsetHeight: number }).offsetHeight)

const widthOf = (element: unknown): number => (element as Box).offsetWidth

interface Element {
  getClientRects(): { readonly length: number }
}
