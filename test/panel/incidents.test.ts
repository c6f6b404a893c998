import { describe, expect, test } from '@jest/globals'
import { recordAttempts } from '../../apps/api/test/support/recorded-attempts.ts'
import { useApi } from '../support/api.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32', PUBLIC_URL: 'http://panel.test' })

/** A signed-in administrator with an endpoint. */
async function enter() {
  const tenant = await api.makeTenant()
  const person = await makeSignedIn(api, tenant)
  const call = callWith(api, person)
  const body = { url: 'https://hooks.example.com/in', events: ['*'] }
  const webhookId: string = (await call('post', '/webhooks', { body })).body.webhook.id
  const visitor = visitorOf(api, person)
  const show = async (path = ''): Promise<string> => {
    const { text } = await visitor.get(`/webhooks/${webhookId}${path}`)
    return text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  }
  const record = (results: string) => recordAttempts(api, { tenant, token: '', webhookId }, results)
  return { call, webhookId, visitor, show, record }
}

describe('the page of an endpoint', () => {
  test('shows that it is failing, since when and why', async () => {
    const { show, record, call, webhookId } = await enter()
    expect(await show('/incidents')).toContain('No incidents in the last 30 days')
    const limits = { disable_after_failing_hours: 24 }
    await call('patch', `/webhooks/${webhookId}`, { body: limits })
    await record('FFFFFF')
    const text = await show()
    expect(text).toContain('This endpoint is failing')
    expect(text).toContain('The last 6 attempts failed, the first of them ')
    expect(text).toContain(
      'Last failure: HTTP 503. The endpoint responded with an error status. What to do: Check the logs.',
    )
    expect(text).toContain('Disabled in 23 h 59 min if it goes on failing.')
    await record('S')
    expect(await show()).not.toContain('This endpoint is failing')
    expect(await show('/incidents')).toContain('Recovered')
  })

  test('shows that it was disabled because it kept failing', async () => {
    const { show, record, webhookId } = await enter()
    await record('FFFFF')
    await api.database.prisma.webhookEndpoint.update({
      where: { id: webhookId },
      data: { enabled: false, disabledAt: new Date(), disabledReason: 'failing' },
    })
    expect(await show()).toContain('This endpoint was disabled because it kept failing')
  })
})

describe('the form of an endpoint', () => {
  test('sets and removes the limits', async () => {
    const { call, webhookId, visitor, show } = await enter()
    const fields = { url: 'https://hooks.example.com/in', events: '*' }
    const save = (limits: Record<string, string>) =>
      visitor.post(`/webhooks/${webhookId}/edit`, { do: 'save', ...fields, ...limits })
    const limitsOf = async () => {
      const { webhook } = (await call('get', `/webhooks/${webhookId}`)).body
      return [webhook.rate_limit_per_second, webhook.disable_after_failing_hours]
    }
    await save({ rate_limit_per_second: '5', disable_after_failing_hours: '24' })
    expect(await limitsOf()).toEqual([5, 24])
    expect(await show('/settings')).toContain(
      'Rate limit 5 per second Disable after 24 hours of failures',
    )
    await save({ rate_limit_per_second: '', disable_after_failing_hours: '' })
    expect(await limitsOf()).toEqual([null, null])
  })

  test('explains a value that is out of range', async () => {
    const { webhookId, visitor } = await enter()
    const response = await visitor.submit(`/webhooks/${webhookId}/edit`, {
      do: 'save',
      url: 'https://hooks.example.com/in',
      events: '*',
      rate_limit_per_second: '1001',
    })
    expect(response.text).toContain('id="field-rate_limit_per_second-error"')
  })
})
