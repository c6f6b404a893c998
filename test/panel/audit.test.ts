import { createUuidv7At } from '@hosting/core/ids'
import { beforeAll, expect, test } from '@jest/globals'
import type { TestTenant } from '../support/api.ts'
import { allRules, errorsOf } from '../support/axe.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { callWith, makePerson, makeSignedIn, type TestSession } from '../support/session.ts'
import { useStack } from '../support/stack.ts'
import { holdCookie, openPage } from './panel-stack.ts'
import { follow } from './ways.ts'

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
      'Key created',
      'Request refused',
      'Organization created',
      'User created',
      'Endpoint added',
    ])
    expect(await optionsOf('Person')).toEqual(['Anyone', 'Ana', 'Bob'])
    await page.locator('.filters .filter-menu > summary').click()
    await page.getByLabel('Action').selectOption('api_key.create')
    await page.getByLabel('Person').selectOption('Bob')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.waitForURL(/actor_id=/)
    expect(new URL(page.url()).search).toBe(`?action=api_key.create&actor_id=${bob.userId}`)
    expect(await page.locator('.list tbody tr').count()).toBe(1)
    expect(await page.locator('.list tbody').textContent()).toContain('Other')
    expect(page.complaints).toEqual([])
  })

  test('an entry is a sentence that names and links its target and key', async () => {
    const page = await enter('/audit')
    const row = page.locator('.list tbody tr').filter({ hasText: 'added the endpoint' })
    expect(await row.locator('.lead').innerText()).toMatch(
      /^Ana added the endpoint Pager for \*.*with the key Deploy script$/,
    )
    await row.click()
    expect(await row.getByRole('link', { name: 'Key Deploy script' }).getAttribute('href')).toBe(
      `/keys/${keyId}`,
    )
    await row.getByRole('link', { name: 'Pager', exact: true }).click()
    await page.waitForURL(/\/webhooks\//)
  })

  test('a change shows the values before and after, and the history of the record has it', async () => {
    const asAna = callWith(stack.api, ana)
    const { webhook } = (
      await asAna('post', '/webhooks', {
        body: { url: 'https://example.com/b', events: ['*'], description: 'Billing connector' },
      })
    ).body
    await asAna('patch', `/webhooks/${webhook.id}`, { body: { events: ['site.*'] } })
    await asAna('patch', `/api-keys/${keyId}`, { body: { scopes: ['webhooks:read'] } })
    const page = await enter('/audit?q=billing')
    const changed = page.locator('.list .lead').filter({ hasText: 'changed the events' })
    const sentence = 'Ana changed the events of Billing connector: * →to site.*'
    expect(await changed.textContent()).toBe(sentence)
    await page.goto(`${stack.api.url}/webhooks/${webhook.id}`)
    await follow(page.getByRole('link', { name: 'History' }))
    expect(await page.locator('.list .lead').allTextContents()).toEqual([
      sentence,
      'Ana added the endpoint Billing connector for *',
    ])
    await page.goto(`${stack.api.url}/keys/${keyId}`)
    await follow(page.getByRole('link', { name: 'History' }))
    expect(await page.locator('.list .lead').first().textContent()).toBe(
      'Ana changed the scopes of Deploy script: webhooks:write →to webhooks:read',
    )
    await page.locator('.list summary').first().click()
    expect(await page.locator('.list .facts').first().innerText()).toMatch(
      /Scopes\s+webhooks:write/,
    )
    expect(await errorsOf(page, allRules)).toEqual([])
    expect(page.complaints).toEqual([])
  })

  test('no name is cut off at 1,280 px, and wide screens are used', async () => {
    const asAna = callWith(stack.api, ana)
    const name = 'Deploys the shop and every one of its sites in all regions '
      .repeat(2)
      .slice(0, 100)
    await asAna('post', '/api-keys', { body: { name, scopes: ['sites:read'] } })
    const page = await enter('/audit')
    const cut = await page
      .locator('.list.audit td:not(.opens)')
      .evaluateAll(
        (cells) =>
          (cells as unknown as Element[]).filter((cell) => cell.scrollWidth > cell.clientWidth)
            .length,
      )
    expect(cut).toBe(0)
    await page.setViewportSize({ width: 1920, height: 1000 })
    const width = await page.locator('.list').evaluate(widthOf)
    expect(width).toBeGreaterThan(1_400)
  })

  test('an invalid filter keeps the form and explains the error', async () => {
    const page = await enter('/audit?key_id=x&since=2026-13-01T00:00')
    const alert = (await page.getByRole('alert').allTextContents()).join('\n')
    expect(alert).toContain('Key ID: “x” is not a key ID (12 letters and digits).')
    expect(alert).toContain('From: “2026-13-01T00:00” is not a date and time.')
    await follow(page.getByRole('link', { name: 'Clear' }))
    expect(await page.locator('.list tbody tr').count()).toBeGreaterThan(8)
  })

  test('a search in the entries of a year examines a part of them, and continues from there', async () => {
    const other = await stack.api.makeTenant()
    const { cookie } = await makeSignedIn(stack.api, other, { name: 'Olga' })
    const start = Date.now() - 365 * 86_400_000
    const at = (index: number) => new Date(start + index * 2_600_000)
    await stack.database.prisma.auditEvent.createMany({
      data: Array.from({ length: 12_000 }, (_, index) => ({
        id: createUuidv7At(at(index).getTime()),
        tenantId: other.id,
        occurredAt: at(index),
        action: 'webhook.ping',
        outcome: 'success',
        actorType: 'user',
        actorName: index === 4_000 ? 'Zoe' : 'Yan',
      })),
    })
    const context = await browser.open({ viewport: { width: 1280, height: 800 } })
    await holdCookie(stack, context, cookie)
    const page = await openPage(context)
    await page.goto(`${stack.api.url}/audit?q=zoe`)
    expect(await page.getByRole('heading', { name: 'No matches so far' }).count()).toBe(1)
    expect(await errorsOf(page, allRules)).toEqual([])
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByText('sent a ping to').waitFor()
    expect(await page.locator('.list tbody tr').count()).toBe(1)
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
    const turn = async (name: string): Promise<void> => {
      seen.push((await page.locator('.list time').first().getAttribute('datetime'))!)
      await follow(page.getByRole('link', { name, exact: true }))
    }
    for (const name of ['Older', 'Older', 'Older', 'Newer', 'Newer', 'Newer']) await turn(name)
    expect(await page.getByRole('link', { name: 'Newer' }).count()).toBe(0)
    expect(new Set(seen.slice(0, 4)).size).toBe(4)
    expect(seen.slice(4)).toEqual([seen[2], seen[1]])
    expect(new URL(page.url()).search).toBe('?action=test.many')
  })
})

interface Box {
  readonly offsetWidth: number
}

const widthOf = (element: unknown): number => (element as Box).offsetWidth

interface Element {
  readonly clientWidth: number
  readonly scrollWidth: number
}
