import { describe, expect, test } from '@jest/globals'
import { makeSubscriber } from '../../apps/api/test/support/delivery-list.ts'
import { useApi } from '../support/api.ts'
import { makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })

const [hour, day] = [60, 1_440]

/** The panel of an organization whose only attempts started this many minutes ago. */
async function enter(minutesAgo: number) {
  const { tenant, webhookId } = await makeSubscriber(api)
  await api.database.pool.query(
    `INSERT INTO attempt_stats (tenant_id, endpoint_id, start, minutes, succeeded, failed, durations, counts)
     VALUES ($1, $2, date_bin('5 minutes', now() - $3 * interval '1 minute', 'epoch'), 5, 3, 1, '{10}', '{4}')`,
    [tenant.id, webhookId, minutesAgo],
  )
  const visitor = visitorOf(api, await makeSignedIn(api, tenant))
  const show = async (path: string) => (await visitor.get(path)).text
  return { show, paths: ['/', `/webhooks/${webhookId}`] }
}

describe('a chart', () => {
  test.each([
    ['1h', 10, 'By 5 minutes', 12],
    ['24h', 10, 'By 5 minutes', 24],
    ['7d', 10, 'By 5 minutes', 24],
    ['24h', 5 * hour, 'By hour', 24],
    ['7d', 5 * hour, 'By hour', 48],
    ['7d', 4 * day, 'By day', 7],
  ])(
    'of %s with attempts of %i minutes ago has bars %s',
    async (window, minutesAgo, hint, columns) => {
      const { show, paths } = await enter(minutesAgo)
      for (const path of paths) {
        const text = await show(`${path}?window=${window}`)
        const chart = /<h2>Attempts by outcome.*?<\/section>/s.exec(text)![0]
        expect(chart).toContain(hint)
        expect(chart).toContain('Total: Delivered: 3, Failed: 1.')
        expect(chart.match(/<tr[^>]*role="row"/g)).toHaveLength(columns + 1)
        const [, link] = /<a href="([^"]+)"><title/.exec(chart)!
        expect(link).toMatch(path === '/' ? /^\/deliveries\?/ : /^\/webhooks\/[^/]+\/deliveries\?/)
      }
    },
  )

  test('has no data if there were no attempts in its range', async () => {
    const { show } = await enter(3 * day)
    expect((await show('/')).split('No data').length - 1).toBe(2)
    expect(await show('/?window=7d')).toContain('Total: Delivered: 3, Failed: 1.')
  })
})
