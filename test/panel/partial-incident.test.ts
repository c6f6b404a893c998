import { incidentAttemptsMax } from '@hosting/core/webhooks'
import { expect, test } from '@jest/globals'
import { failure, makeAttempts } from '../../apps/api/test/support/attempts.ts'
import { makeSubscriber } from '../../apps/api/test/support/delivery-list.ts'
import { publish } from '../../apps/api/test/support/events.ts'
import { recordAttempts } from '../../apps/api/test/support/recorded-attempts.ts'
import { useApi } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { errorsOnScreens } from '../support/screens.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { holdCookie, openPage } from './panel-stack.ts'

describeInBrowser('the page of an incident that is too large to read in Chromium', () => {
  const api = useApi()
  const browser = useBrowser()

  async function enter() {
    const subscriber = await makeSubscriber(api)
    const person = await makeSignedIn(api, subscriber.tenant)
    const context = await browser.open()
    await holdCookie({ api }, context, person.cookie)
    const page = await openPage(context)
    const open = async () => {
      const path = `/webhooks/${subscriber.webhookId}/incidents`
      const { items } = (await callWith(api, person)('get', path)).body
      await page.goto(`${api.url}${path}/${items[0].id}`)
    }
    const textOf = async (selector: string) =>
      (await page.locator(selector).innerText()).replaceAll(/\s+/g, ' ')
    return { ...subscriber, page, open, textOf }
  }

  test('shows what the first 20,000 attempts tell, and says what is left out', async () => {
    const { tenant, webhookId, page, open, textOf, ...subscriber } = await enter()
    const [deliveryId] = (await publish(api, tenant.id)).deliveryIds
    await makeAttempts(api, deliveryId!, [failure])
    await recordAttempts(api, { ...subscriber, tenant, webhookId }, 'FFFFF')
    const { pool } = api.database
    await pool.query(
      `INSERT INTO delivery_attempts (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class)
       SELECT uuidv7(interval '1 minute'), gen_random_uuid(), $1, $2, 2, now() + interval '1 minute', 5, 503, 'http_error'
       FROM generate_series(1, $3)`,
      [webhookId, tenant.id, incidentAttemptsMax],
    )
    await pool.query(
      'UPDATE webhook_incidents SET failed_attempts = failed_attempts + $2 WHERE endpoint_id = $1',
      [webhookId, incidentAttemptsMax],
    )
    await open()
    const leftOut =
      'The course and the events are those of the first 20,000 failed attempts. The others are left out.'
    expect(await textOf('#incident')).toContain('20,006 failed attempts')
    expect(await textOf('#incident')).toContain(leftOut)
    expect(await textOf('#incident')).toMatch(/Affected 1 Arrived since 0 Still missing 1 /)
    expect(await textOf('#incident-text')).toContain(leftOut)
    expect(await errorsOnScreens(page, 'incident-partial')).toEqual([])
    expect(page.complaints).toEqual([])
  })

  test('says that nothing was counted if its attempts cannot be read in time', async () => {
    const { page, open, textOf, ...subscriber } = await enter()
    await recordAttempts(api, subscriber, 'FFFFF')
    const client = await api.database.pool.connect()
    try {
      await client.query('BEGIN; LOCK TABLE delivery_attempts')
      await open()
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    const leftOut =
      'Its 5 failed attempts are too many to read in time, so the course and the events are left out.'
    const text = await textOf('#incident')
    expect(text).toContain(leftOut)
    expect(text).toContain(
      'Affected Not counted Arrived since Not counted Still missing Not counted',
    )
    expect(text).toContain('The attempts were not read in time.')
    expect(text).not.toContain('Causes and what to do')
    expect(await textOf('#incident-text')).toContain(leftOut)
    expect(await textOf('#incident-text')).not.toContain('Events affected')
    expect(await errorsOnScreens(page, 'incident-not-counted')).toEqual([])
    expect(page.complaints).toEqual([])
  })
})
