import { internalRoutes, publicRoutes, takesTurn, type Route } from '@hosting/api'
import { describe, expect, test } from '@jest/globals'
import { readSources } from './sources.ts'

const reads = ([...publicRoutes, ...internalRoutes] as unknown as readonly Route[]).filter(
  ({ kind }) => kind === 'read',
)

/** The paths of source files that match a pattern. */
async function pathsWith(files: string, pattern: RegExp): Promise<string[]> {
  const sources = await readSources(files)
  return sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
}

describe('every read is bounded by construction', () => {
  test('a read takes a turn of its organization, unless it reads a few records by their ids or none', () => {
    const without = reads.filter((route) => !takesTurn(route)).map(({ operationId }) => operationId)
    expect(without.toSorted()).toEqual([
      'api-keys.get',
      'api-keys.scopes',
      'auth.me',
      'auth.notification-settings.get',
      'auth.session.get',
      'internal.accounts.get',
      'internal.tenants.get',
      'internal.users.get',
      'tenant.edition',
      'tenant.security-policy',
      'webhooks.event-types',
      'webhooks.listen',
      'webhooks.recoveries.get',
    ])
  })

  test('a list takes a turn', () => {
    const lists = reads.filter(({ query }) => query && 'limit' in query.properties)
    expect(lists.length).toBeGreaterThan(10)
    expect(lists.filter((route) => !takesTurn(route))).toEqual([])
  })

  test('handlers of routes run only where turns are taken', async () => {
    const files = 'apps/api/src/**/*.{ts,tsx}'
    expect(await pathsWith(files, /\b(route|list)\.handle\(/)).toEqual([
      // Publishes events, which reads nothing.
      'apps/api/src/api/http/run-batch.ts',
      'apps/api/src/api/http/run-route.ts',
      'apps/api/src/api/internal/tenant-views.ts',
      // A page of a list, in the turn of its request; exports.ts of the use cases takes one for each page of an export.
      'apps/api/src/api/routes/exports.ts',
    ])
    expect(await pathsWith(files, /\bpage\.show\(/)).toEqual(['apps/api/src/panel/serve.ts'])
  })

  test('the documentation reads records through routes only', async () => {
    const files = 'apps/api/src/docs/**/*.{ts,tsx}'
    expect(
      await pathsWith(files, /@hosting\/postgres|services\.database|\{ database|\.prisma\b/),
    ).toEqual([])
  })

  test("the operators' pages read through the snapshot that all requests share", async () => {
    const files = 'packages/html/src/operators/*.ts'
    expect(
      await pathsWith(files, /\b(read|list|find|count)[A-Z]\w*,? [^;]* from '@hosting\/postgres/),
    ).toEqual(['packages/html/src/operators/snapshot.ts'])
  })

  test('cursors are made and read by one codec', async () => {
    const files = 'apps/api/src/**/*.{ts,tsx}'
    expect(await pathsWith(files, /\bcursors\.(en|de)code\(/)).toEqual([
      'apps/api/src/api/internal/notices.ts',
      'apps/api/src/api/routes/list.ts',
      'apps/api/src/api/use-cases/event-log.ts',
    ])
    expect(await pathsWith(files, /decodePlainCursor\(/)).toEqual([
      'apps/api/src/api/internal/notices.ts',
      'apps/api/src/api/use-cases/event-log.ts',
    ])
  })
})
