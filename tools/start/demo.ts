import { createKeyToken, formatKeyToken, hashKeySecret, rateLimitMax } from '@hosting/core/api-keys'
import { createApiKey } from '@hosting/postgres/api-keys'
import { openDatabase } from '@hosting/postgres/database'
import { CallError, type Call } from './http.ts'
import type { StartStateFile } from './start-state.ts'

// Fixed ids, so that the next start finds the records again, even if its state file is lost.
export const demoTenantId = '0de00000-0000-4000-8000-000000000001'
const userId = '0de00000-0000-4000-8000-000000000002'

export const demoEmail = 'admin@acme.example'

/** Creates the demo's organization and its administrator, or resets them. */
export async function putDemoOrganization(
  callInternal: Call,
  { kept }: StartStateFile,
): Promise<void> {
  await callInternal('PUT', `/tenants/${demoTenantId}`, { slug: 'demo', name: 'Acme' })
  await callInternal('PUT', `/users/${userId}`, {
    tenant_id: demoTenantId,
    email: demoEmail,
    name: 'Ada Admin',
    status: 'active',
    roles: ['admin'],
    accounts: [],
    password: kept.password,
  })
}

/** The token of an active API key of the administrator: the last run's, or a new one. */
export async function getDemoKey(
  stateFile: StartStateFile,
  databaseUrl: string,
  callWithKey: (token: string) => Call,
): Promise<string> {
  const known = stateFile.kept.apiKey
  if (known !== undefined && (await works(callWithKey(known)))) return known
  const apiKey = await createDemoKey(
    databaseUrl,
    Buffer.from(stateFile.kept.serverSecret, 'base64'),
  )
  await stateFile.keep({ apiKey })
  return apiKey
}

async function works(call: Call): Promise<boolean> {
  try {
    const { tenant } = await call<{ tenant: { id: string } }>('GET', '/auth/me')
    return tenant.id === demoTenantId
  } catch (error) {
    if (error instanceof CallError && error.status < 500) return false
    throw error
  }
}

async function createDemoKey(databaseUrl: string, serverSecret: Buffer): Promise<string> {
  // pg warns about the calls of Prisma's adapter, which is irrelevant to the user of this terminal.
  process.noDeprecation = true
  const database = openDatabase(databaseUrl, { connectionsMax: 1, onError: () => undefined })
  const parts = createKeyToken(process.env['KEY_PREFIX'])
  try {
    await createApiKey(database.prisma, {
      id: parts.id,
      secretHash: hashKeySecret(serverSecret, parts),
      tenantId: demoTenantId,
      userId,
      createdById: userId,
      kind: 'personal',
      source: 'api',
      name: 'npm start',
      scopes: ['*'],
      expiresAt: null,
      rateLimitPerMinute: rateLimitMax,
    })
  } finally {
    await database.close()
  }
  return formatKeyToken(parts)
}
