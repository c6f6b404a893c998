import { beforeAll, expect, test } from '@jest/globals'
import { recordAttempts } from '../../api/test/support/recorded-attempts.ts'
import { documentOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
let webhookId = ''

beforeAll(async () => {
  const { api, tenant, hctl } = user
  const words = ['--url', 'http://127.0.0.1:9/hook', '--event-type', '*', '--description', 'Shop']
  webhookId = documentOf(await hctl(['webhooks', 'create', '--json', ...words])).webhook.id
  await recordAttempts(api, { tenant, webhookId }, 'SSSF')
})

test('hctl webhooks stats shows the figures of an endpoint', async () => {
  const figures = documentOf(await user.hctl('webhooks stats shop --window 1h --json'))
  expect(figures).toMatchObject({ window: '1h', succeeded: 3, failed: 1, success_rate: 0.75 })
  const { stdout } = await user.hctl('webhooks stats shop')
  expect(stdout).toMatch(
    /^attempts +█\s*\ndelivered attempts +3\nfailed attempts +1\nsuccess rate +75%\n/,
  )
})

test('hctl stats shows the figures of every endpoint', async () => {
  const { stdout } = await user.hctl('stats')
  expect(stdout).toMatch(/^ENDPOINT +DELIVERED +FAILED +SUCCESS RATE +ATTEMPTS/)
  expect(stdout).toMatch(/\nShop +3 +1 +75% +█/)
  expect(documentOf(await user.hctl('stats --json')).items).toMatchObject([{ id: webhookId }])
})
