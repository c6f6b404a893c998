import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { lastFailure, makeAttempts, success } from '../../apps/api/test/support/attempts.ts'
import { makeSubscriber } from '../../apps/api/test/support/delivery-list.ts'
import { publish } from '../../apps/api/test/support/events.ts'
import { useApi } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { errorsOnScreens } from '../support/screens.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { holdCookie, openPage } from './panel-stack.ts'

describeInBrowser("the comparison with a receiver's own list", () => {
  const api = useApi()
  const browser = useBrowser()
  let page: Page & { complaints: string[] }
  let path: string
  let call: ReturnType<typeof callWith>
  /** Event ids, by what became of them; each in one delivery. */
  const ids: Record<'stored' | 'arrived' | 'dead' | 'neverSent' | 'unknown', string> = {
    stored: '',
    arrived: '',
    dead: '',
    neverSent: '',
    unknown: randomUUID(),
  }

  beforeAll(async () => {
    const { tenant, webhookId } = await makeSubscriber(api)
    const person = await makeSignedIn(api, tenant)
    call = callWith(api, person)
    path = `/webhooks/${webhookId}`
    const deliver = async (attempts?: Parameters<typeof makeAttempts>[2]): Promise<string> => {
      const { id, deliveryIds } = await publish(api, tenant.id)
      if (attempts) await makeAttempts(api, deliveryIds[0]!, attempts)
      return id
    }
    await call('patch', path, { body: { events: ['dns.*'] } })
    ids.neverSent = await deliver()
    await call('patch', path, { body: { events: ['*'] } })
    ids.stored = await deliver([success])
    ids.arrived = await deliver([success])
    ids.dead = await deliver([lastFailure])
    const context = await browser.open({})
    await holdCookie({ api }, context, person.cookie)
    page = await openPage(context)
  })
  afterAll(() => page?.context().close())

  const resultOf = async (): Promise<string> => {
    const result = page.locator('[data-reconciled]')
    await result.waitFor({ state: 'visible' })
    return (await result.innerText()).replaceAll(/\s+/g, ' ')
  }

  test('is one click from the endpoint, and has the exceptions beside it', async () => {
    await page.goto(api.url + path)
    await page.getByRole('link', { name: 'Compare with your own list' }).click()
    await page.waitForURL(`${api.url}${path}/completeness`)
    expect(await page.locator('main').innerText()).toContain('Missing: 1 failed, 1 never sent.')
    expect(await errorsOnScreens(page, 'compare')).toEqual([])
  })

  test('says which events are missing in a dropped file, and what became of them', async () => {
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')))
    const file = `id,received\n"${ids.stored.toUpperCase()}",yes\n\n${ids.unknown}\n`
    await page.setViewportSize({ width: 1_440, height: 900 })
    await page.getByLabel('File').setInputFiles({
      name: 'received.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(file),
    })
    await page.getByRole('button', { name: 'Compare' }).click()
    const text = await resultOf()
    expect(text).toContain('3 of 4 events missing in your list.')
    expect(text).toMatch(/Never sent: 1|Delivered: 1|Failed: 1/)
    const rows = await page.locator('[data-reconcile-rows] tbody tr').allInnerTexts()
    expect(rows.map((row) => row.split(/\s+/)).map((cells) => [cells[0], cells.at(-1)])).toEqual([
      [ids.neverSent, 'sent'],
      [ids.arrived, 'Delivered'],
      [ids.dead, 'Failed'],
    ])
    expect(text).toContain('1 id unknown')
    expect(await page.locator('[data-reconcile-unknown] pre').textContent()).toBe(ids.unknown)
    expect(sent.length).toBeGreaterThan(2)
    expect(sent.join()).not.toContain(ids.unknown)
    expect(await errorsOnScreens(page, 'compare-missing')).toEqual([])
    expect(page.complaints).toEqual([])
  })

  test('leads to the recovery of what has not arrived, and redelivers what has', async () => {
    await page.setViewportSize({ width: 1_440, height: 900 })
    const recover = page.getByRole('link', { name: 'Recover what has not arrived' })
    const url = new URL((await recover.getAttribute('href'))!)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      range: 'custom',
      backfill: 'true',
    })
    expect(Date.parse(url.searchParams.get('from')!)).toBeGreaterThan(Date.now() - 25 * 3_600_000)
    await page.getByRole('button', { name: 'Redeliver 1 that arrived' }).click()
    await page.getByRole('button', { name: 'Redeliver 1 again' }).click()
    await page.getByText('0 retried now, 1 redelivered').waitFor()
    const { items } = (await call('get', `${path}/deliveries`)).body
    expect(items[0]).toMatchObject({ event: { id: ids.arrived }, status: 'queued' })
  })

  test('says that nothing is missing in pasted ids', async () => {
    await page.goto(`${api.url}${path}/completeness`)
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('The list contains no event id.').waitFor()
    const { unknown: _, ...known } = ids
    await page.getByLabel('Or paste the IDs').fill(Object.values(known).join('\n'))
    await page.getByRole('button', { name: 'Compare' }).click()
    expect(await resultOf()).toContain('Nothing is missing: 4 events, all in your list.')
    expect(await page.locator('[data-reconcile-rows]').isVisible()).toBe(false)
    expect(await errorsOnScreens(page, 'compare-complete')).toEqual([])
  })
})
