import { expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { behindProxy } from '../support/device.ts'
import {
  exchange,
  makeWorkloadKey,
  useIssuer,
  type WorkloadKeyOfTest,
} from '../support/workloads.ts'

const api = useApi(behindProxy)
const other = useApi(behindProxy)
const issuer = useIssuer()

const minute = 60
/** The lifetime of a projected service account token, of which the kubelet replaces it after 80 %. */
const projectedSeconds = 60 * minute
const sub = 'system:serviceaccount:reports:nightly'

/** Shifts the clock of a key: everything that was stored for it is that much older. */
async function pass(seconds: number, { id }: WorkloadKeyOfTest): Promise<void> {
  const statements = [
    `UPDATE api_key_secrets SET expires_at = expires_at - $1 * interval '1 s' WHERE key_id = $2`,
    `UPDATE counted_calls SET created_at = created_at - $1 * interval '1 s' WHERE caller = $2`,
  ]
  for (const statement of statements) await api.database.pool.query(statement, [seconds, id])
}

test('a Kubernetes pod with three processes that share one projected token holds its sessions for two hours', async () => {
  const key = await makeWorkloadKey(api, issuer, {
    workload: {
      issuer: issuer.url,
      conditions: { sub, '/kubernetes.io/pod/name': 'nightly-0' },
    },
  })
  /** The token in the file, which was written some seconds ago. */
  const projected = (ageSeconds: number): string => {
    const iat = Math.floor(Date.now() / 1_000) - ageSeconds
    const pod = { namespace: 'reports', pod: { name: 'nightly-0' } }
    const times = { iat, nbf: iat, exp: iat + projectedSeconds, jti: undefined }
    return issuer.sign({ aud: [key.audience], sub, ...times, 'kubernetes.io': pod })
  }
  const call = async (at: typeof api, token: string) =>
    (await at.call('get', '/auth/me', { token })).status
  let written = 0
  const processes = [api, other, api]
  for (let now = 0; now < 120 * minute; now += 15 * minute) {
    if (now - written >= 0.8 * projectedSeconds) written = now
    const file = projected(now - written)
    for (const at of processes) {
      const { status, body } = await exchange(at, file)
      expect({ now, status, lifetime: body.expires_in }).toEqual({
        now,
        status: 200,
        lifetime: 900,
      })
      expect(await call(at, body.access_token as string)).toBe(200)
    }
    await pass(15 * minute, key)
  }
})

test('a container that is restarted exchanges the same token again', async () => {
  const key = await makeWorkloadKey(api, issuer)
  const file = issuer.sign({ aud: key.audience, repository_id: '1234' })
  for (let start = 0; start < 5; start++) expect((await exchange(api, file)).status).toBe(200)
})
