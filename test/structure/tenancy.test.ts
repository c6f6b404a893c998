import { expect, test } from '@jest/globals'
import { statements } from '../../packages/postgres/src/database/statement.ts'
import { loadStatements } from '../../packages/postgres/test/support/describe-statement.ts'
import { readSources } from './sources.ts'

/** The columns by which a row leads to its organization: its own, or the key of a row that leads there. */
const ways = new Set([
  'tenant_id',
  'tenant_ids',
  'user_id',
  'account_id',
  'key_id',
  'endpoint_id',
  'session_id',
  'api_key_id',
])

/** Tables without an organization, each with what its rows belong to. */
const installationWide: Readonly<Record<string, string>> = {
  tenants: 'the organizations themselves',
  directory_clock: 'the order of all changes of the directory',
  used_nonces: 'values that a browser returns, before the person is known',
  failed_tries: 'addresses and accounts that try to sign in, also unknown ones',
  used_identity_tokens: 'identity tokens, which name a key of any organization',
  recovery_rounds: 'the turns of all recoveries',
  operations_samples: 'the work of each process',
  counted_calls: 'calls that are limited by address or key',
  exports: 'exports in progress, by the key or person',
  idempotency_records: 'requests, by the key or person',
  service_settings: 'the installation',
  applied_functions: 'the installation',
}

interface Table {
  readonly name: string
  readonly columns: readonly string[]
}

async function readTables(): Promise<Table[]> {
  const [schema] = await readSources('prisma/schema.prisma')
  return [...schema!.text.matchAll(/^model \w+ \{$([^]*?)^\}$/gm)].map(([, body = '']) => ({
    name: /@@map\("(\w+)"\)/.exec(body)![1]!,
    columns: [...body.matchAll(/ @map\("(\w+)"\)/g)].map((match) => match[1]!),
  }))
}

const leadsToTenant = ({ columns }: Table): boolean => columns.some((name) => ways.has(name))

test('each table of an organization has its id, or the key of a row that leads to it', async () => {
  const tables = await readTables()
  expect(tables.length).toBeGreaterThan(60)
  const others = tables.filter((table) => !leadsToTenant(table)).map(({ name }) => name)
  expect(others.toSorted()).toEqual(Object.keys(installationWide).toSorted())
})

/** Hot statements without a condition on `tenant_id`, by what they find their rows with. */
const hotByOtherKeys: Readonly<Record<string, readonly string[]>> = {
  'the ids of deliveries': [
    'claim-attempts',
    'claim-unthrottled-attempts',
    'end-without-event',
    'find-locked-attempts',
    'finish-attempts',
    'postpone-attempts',
    'record-successes',
    'renew-leases',
  ],
  'the ids of secrets and headers': ['find-encrypted-headers', 'find-encrypted-secrets'],
  'a look at all organizations': ['abandon-deliveries', 'find-duty-work', 'restore-wakeups'],
}

test('each hot statement has a condition on tenant_id, or docs/scaling.md counts it among the others', async () => {
  await loadStatements()
  const hot = [...statements.values()].filter((each) => 'isHot' in each)
  const others = hot.filter(({ text }) => !/\btenant_id = /.test(text)).map(({ name }) => name)
  expect(others.toSorted()).toEqual(Object.values(hotByOtherKeys).flat().toSorted())
  const [page] = await readSources('docs/scaling.md')
  expect(page!.text.replaceAll(/\s+/g, ' ')).toContain(
    `${others.length} of the ${hot.length} hot statements`,
  )
})
