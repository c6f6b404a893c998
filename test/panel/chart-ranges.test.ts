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
    `INSERT INTO attempt_stats (tenant_id, endpoint_id, start, minutes, succeeded, failed, durations, counts, codes, code_counts)
     VALUES ($1, $2, date_bin('1 minute', now() - $3 * interval '1 minute', 'epoch'), 1, 3, 1, '{10}', '{4}', '{0,204}', '{1,3}')`,
    [tenant.id, webhookId, minutesAgo],
  )
  const visitor = visitorOf(api, await makeSignedIn(api, tenant))
  const show = async (path: string) => (await visitor.get(path)).text
  return { show, paths: ['/', `/webhooks/${webhookId}`] }
}

describe('a chart', () => {
  test.each([
    ['1h', 10, 'Last 15 minutes · 1 min', 15],
    ['1h', 40, 'Last hour · 1 min', 60],
    ['24h', 10, 'Last 30 minutes · 1 min', 30],
    ['24h', 50, 'Last 2 hours · 5 min', 24],
    ['7d', 10, 'Last 30 minutes · 1 min', 30],
    ['24h', 5 * hour, 'Last 24 hours · 1 h', 24],
    ['7d', 5 * hour, 'Last 48 hours · 1 h', 48],
    ['7d', 4 * day, 'Last 7 days · 1 d', 7],
  ])(
    'of %s with attempts of %i minutes ago has bars %s',
    async (window, minutesAgo, hint, columns) => {
      const { show, paths } = await enter(minutesAgo)
      for (const path of paths) {
        const text = await show(`${path}?window=${window}`)
        const chart = /<h2>Attempts by outcome.*?<\/section>/s.exec(text)![0]
        expect(text).toContain(hint)
        expect(text).toContain('Total: 2xx: 3, No response: 1.')
        expect(chart).toContain('Total: Delivered: 3, Failed: 1.')
        expect(chart.match(/<tr[^>]*role="row"/g)).toHaveLength(columns + 1)
        const [, link] = /<a data-point[^>]*href="([^"]+)"><title/.exec(chart)!
        expect(link).toMatch(path === '/' ? /^\/deliveries\?/ : /^\/webhooks\/[^/]+\/deliveries\?/)
      }
    },
  )

  test('has no data if there were no attempts in its range', async () => {
    const { show } = await enter(3 * day)
    expect((await show('/')).split('No data').length - 1).toBe(3)
    expect(await show('/?window=7d')).toContain('Total: Delivered: 3, Failed: 1.')
  })
})
