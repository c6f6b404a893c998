import pg from 'pg'

/**
 * Defaults of a database that a DBA may have chosen and that the code must not depend on
 * (packages/postgres/connections.md#session-settings).
 */
export const hostileSettings: Readonly<Record<string, string>> = {
  DateStyle: 'German, DMY',
  TimeZone: 'Asia/Kathmandu',
  IntervalStyle: 'sql_standard',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  client_encoding: 'LATIN1',
  default_transaction_isolation: 'serializable',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  array_nulls: 'off',
  quote_all_identifiers: 'on',
  search_path: '',
  exit_on_error: 'on',
  plan_cache_mode: 'force_generic_plan',
  enable_partition_pruning: 'off',
}

/**
 * The statements that make these the defaults of a database, or of a role.
 *
 * @param target - such as `DATABASE "hosting"`.
 */
export const hostileStatements = (
  target: string,
  settings: Readonly<Record<string, string>> = hostileSettings,
): string =>
  Object.entries(settings)
    .map(([name, value]) => `ALTER ${target} SET ${name} TO ${pg.escapeLiteral(value)}`)
    .join('; ')

const variable = 'TEST_HOSTILE_DATABASES'

/** Makes the databases of a test run hostile; called by its set-up. */
export function makeTestsHostile(): void {
  process.env[variable] = 'true'
}

export const testsAreHostile = (): boolean => process.env[variable] === 'true'
