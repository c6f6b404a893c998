import { addKeyUses } from '@hosting/postgres/api-keys'
import { expect, test } from '@jest/globals'
import { keyUse } from '../../../test/support/key-uses.ts'
import { documentOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()

test('hctl keys uses prints operations, statuses, addresses and secrets, newest first', async () => {
  const { id } = documentOf(await user.hctl('keys create --name ci --scope sites:read --json')).key
  const hourMs = 3_600_000
  await addKeyUses(user.api.database, [
    keyUse(id, Date.now(), { status: 404, isPrevious: true, requests: 3 }),
    keyUse(id, Date.now() - hourMs, {
      operation: null,
      status: 405,
      address: '2001:db8:0:1::/64',
    }),
  ])
  const { stdout } = await user.hctl(`keys uses ${id}`)
  const [head, now, before] = stdout.split('\n')
  expect(head).toMatch(/^START +OPERATION +STATUS +ADDRESS +SECRET +REQUESTS/i)
  expect(now).toMatch(/:00:00Z +sites\.list +404 +192\.0\.2\.1 +previous +3$/)
  expect(before).toMatch(/:00:00Z +no operation +405 +2001:db8:0:1::\/64 +current +1$/)
  const json = documentOf(await user.hctl(`keys uses ${id} --since 7d --json`))
  expect(json.items).toHaveLength(2)
  const longer = await user.hctl(`keys uses ${id} --since 8d`)
  expect(longer).toMatchObject({ code: 1, stderr: expect.stringContaining('--since') })
})
