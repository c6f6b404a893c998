import { afterAll, afterEach, expect } from '@jest/globals'
import { useApi } from '../../support/api.ts'
import type { Needing } from '../../support/needing.ts'
import { startIngress } from '../support/ingress.ts'
import { java } from '../support/maven.ts'
import { useResults } from '../support/results.ts'
import type { Software } from '../support/results-file.ts'
import { toolchains } from '../support/toolchain.ts'
import {
  installGoClient,
  installJavaClient,
  installJavaScriptClient,
  installPythonClient,
  installRustClient,
  type InstalledClient,
} from './installed-clients.ts'
import { oauthClients } from './oauth-clients.ts'
import { endClients, runClient } from './run-client.ts'

const ingress = await startIngress(() => api.url)
const api = useApi({ PUBLIC_URL: ingress.url, TRUSTED_PROXIES: '127.0.0.1' })
afterEach(endClients)
afterAll(() => ingress.close())

/** What every client finds: a key with the requested scopes that ends when it is revoked, and the errors of the others. */
const found = {
  statuses: [200, 401],
  scope: 'sites:read dns:read',
  denied: 'access_denied',
  expired: 'expired_token',
}

/** What a client does itself. For the rest, its program sends a form. */
const steps = ['discovery', 'start', 'poll', 'revocation'] as const
type Step = (typeof steps)[number]

interface TestedClient {
  readonly toolchain: Needing
  readonly does: readonly Step[]
  readonly environment?: Readonly<Record<string, string>>
  install(): Promise<InstalledClient>
}

const clients: Readonly<Record<keyof typeof oauthClients, TestedClient>> = {
  authlib: {
    toolchain: toolchains.python,
    does: ['poll', 'revocation'],
    // It refuses to work without https otherwise.
    environment: { AUTHLIB_INSECURE_TRANSPORT: '1' },
    install: () => installPythonClient('authlib_client.py'),
  },
  cliOauth: {
    toolchain: toolchains.go,
    does: ['start', 'poll'],
    install: () => installGoClient('cli-oauth'),
  },
  goOauth2: {
    toolchain: toolchains.go,
    does: ['start', 'poll'],
    install: () => installGoClient('oauth2'),
  },
  msalNode: {
    toolchain: toolchains.npm,
    does: ['start', 'poll'],
    install: () => installJavaScriptClient('msal-node.mjs'),
  },
  nimbus: {
    toolchain: java,
    does: ['discovery', 'start', 'poll', 'revocation'],
    install: () => installJavaClient('DeviceLogin.java'),
  },
  oauth2Crate: {
    toolchain: toolchains.rust,
    does: ['start', 'poll', 'revocation'],
    install: installRustClient,
  },
  oauth4webapi: {
    toolchain: toolchains.npm,
    does: ['discovery', 'start', 'poll', 'revocation'],
    install: () => installJavaScriptClient('oauth4webapi.mjs'),
  },
  openidClient: {
    toolchain: toolchains.npm,
    does: ['discovery', 'start', 'poll', 'revocation'],
    install: () => installJavaScriptClient('openid-client.mjs'),
  },
  requestsOauthlib: {
    toolchain: toolchains.python,
    does: ['poll', 'revocation'],
    environment: { OAUTHLIB_INSECURE_TRANSPORT: '1' },
    install: () => installPythonClient('requests_oauthlib_client.py'),
  },
}

const record = useResults('device login', Object.values(oauthClients))

for (const [id, { toolchain, does, environment = {}, install }] of Object.entries(clients)) {
  const client: Software = oauthClients[id as keyof typeof oauthClients]
  toolchain.concurrent(
    `${client.name} signs in, revokes, and reads why it gets no token`,
    async () => {
      const { command, cwd } = await install()
      const result = await runClient(api, {
        name: client.name,
        command,
        cwd,
        environment: { HOSTING_URL: ingress.url, ...environment },
      })
      expect(result).toEqual({ ...found, name: `CLI: ${client.name}` })
      record(client, {
        ...Object.fromEntries(steps.map((step) => [step, does.includes(step) ? 'yes' : 'no'])),
        denied: found.denied,
        expired: found.expired,
      })
    },
  )
}
