import { afterAll, expect } from '@jest/globals'
import { useApi } from '../../support/api.ts'
import type { Needing } from '../../support/needing.ts'
import { startIssuer } from '../../support/issuer.ts'
import { callWith, makeSignedIn } from '../../support/session.ts'
import { startIngress } from '../support/ingress.ts'
import { java } from '../support/maven.ts'
import type { Software } from '../support/results-file.ts'
import { useResults } from '../support/results.ts'
import { runProgram, toolchains } from '../support/toolchain.ts'
import {
  installGoClient,
  installJavaClient,
  installJavaScriptClient,
  installPythonClient,
  type InstalledClient,
} from './installed-clients.ts'
import { exchangingClients } from './oauth-clients.ts'

const ingress = await startIngress(() => api.url)
const issuer = await startIssuer()
const api = useApi({ PUBLIC_URL: ingress.url, TRUSTED_PROXIES: '127.0.0.1' })
afterAll(() => Promise.all([ingress.close(), issuer.close()]))

/** What every client finds: a token with the scopes of the key that ends when it is revoked, and the error of a refusal. */
const found = {
  statuses: [200, 401],
  name: 'deploy',
  scope: 'sites:read',
  refused: 'invalid_grant',
}

/** What a client does itself. For the rest, its program sends a form. */
const steps = ['discovery', 'exchange', 'revocation'] as const

interface TestedClient {
  readonly toolchain: Needing
  readonly does: readonly (typeof steps)[number][]
  readonly environment?: Readonly<Record<string, string>>
  install(): Promise<InstalledClient>
}

const clients: Readonly<Record<keyof typeof exchangingClients, TestedClient>> = {
  authlib: {
    toolchain: toolchains.python,
    does: ['exchange', 'revocation'],
    environment: { AUTHLIB_INSECURE_TRANSPORT: '1' },
    install: () => installPythonClient('authlib_exchange.py'),
  },
  goOauth2: {
    toolchain: toolchains.go,
    does: ['exchange'],
    install: () => installGoClient('exchange'),
  },
  googleAuth: {
    toolchain: toolchains.python,
    does: ['exchange', 'revocation'],
    install: () => installPythonClient('google_auth_exchange.py'),
  },
  nimbus: {
    toolchain: java,
    does: ['discovery', 'exchange', 'revocation'],
    install: () => installJavaClient('TokenExchange.java'),
  },
  openidClient: {
    toolchain: toolchains.npm,
    does: ['discovery', 'exchange', 'revocation'],
    install: () => installJavaScriptClient('openid-client-exchange.mjs'),
  },
}

const record = useResults('token exchange', Object.values(exchangingClients))

for (const [id, tested] of Object.entries(clients)) {
  const client: Software = exchangingClients[id as keyof typeof exchangingClients]
  tested.toolchain.concurrent(
    `${client.name} exchanges an identity token, revokes, and reads why it is refused`,
    async () => {
      const { command, cwd } = await tested.install()
      const environment = {
        HOSTING_URL: ingress.url,
        ...(await makeIdentityTokens()),
        ...tested.environment,
      }
      expect(JSON.parse(await runProgram(command, { cwd, environment }))).toEqual(found)
      record(client, {
        ...Object.fromEntries(
          steps.map((step) => [step, tested.does.includes(step) ? 'yes' : 'no']),
        ),
        refused: found.refused,
      })
    },
  )
}

/** Creates a workload key. Returns an identity token for it, and one that does not meet its conditions. */
async function makeIdentityTokens() {
  const call = callWith(api, await makeSignedIn(api, await api.makeTenant()))
  const { status, body } = await call('post', '/api-keys', {
    body: {
      name: 'deploy',
      kind: 'organization',
      scopes: ['sites:read'],
      workload: { issuer: issuer.url, conditions: { repository_id: '1234' } },
    },
  })
  expect(status).toBe(201)
  const { audience: aud } = body.key.workload as { audience: string }
  return {
    IDENTITY_TOKEN: issuer.sign({ aud, repository_id: '1234' }),
    WRONG_TOKEN: issuer.sign({ aud, repository_id: '5678' }),
  }
}
