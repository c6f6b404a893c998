import { parsesSecret, settings, type Setting } from '@hosting/core/configuration'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { formatAs } from './format.ts'

const all: readonly Setting<unknown>[] = Object.values(settings)
const processes = ['api', 'worker', 'migrate'] as const
type Process = (typeof processes)[number]

/** Settings that the templates of the chart set. */
const fixed: ReadonlySet<string> = new Set(['HOST', 'PORT', 'INTERNAL_PORT'])

/** Values that differ from the settings' defaults. */
const chartDefaults: Readonly<Record<string, string>> = { DATABASE_APP_ROLE: 'hosting_app' }

/** Whether a setting is in a Secret. The hashes of the service tokens are not secret, but change with them. */
const isInSecret = ({ variable, parse: parseSetting }: Setting<unknown>): boolean =>
  parsesSecret(parseSetting) || variable === 'INTERNAL_TOKENS'

const isRequired = (setting: Setting<unknown>): boolean => 'required' in setting

/** The groups of `settings` in values.yaml: who reads a setting. */
const groups = [
  ['shared', 'Read by the API and the worker.', undefined],
  ['api', 'Read by the API.', 'api'],
  ['worker', 'Read by the worker.', 'worker'],
  ['migrate', 'Read by the migration.', 'migrate'],
] as const

const settingsOf = (readBy: Process | undefined): Setting<unknown>[] =>
  all.filter(
    (setting) => setting.readBy === readBy && !isInSecret(setting) && !fixed.has(setting.variable),
  )

/** Hosts that only `networkPolicy.outside` allows: those of PostgreSQL and Redis are its `stores`. */
const outsideOf = (readBy: Process | undefined): Setting<unknown>[] =>
  all.filter(
    (setting) =>
      setting.namesHost &&
      setting.readBy === readBy &&
      !/^(DATABASE|REDIS)_/.test(setting.variable),
  )

const notice = '# Made by `npm run generate` from'
const sources = 'tools/generate/chart-values.yaml and packages/core/src/configuration/settings.ts'

const baseText = (): string => readFileSync(new URL('chart-values.yaml', import.meta.url), 'utf8')

const plain = (text: string): string => text.replaceAll('`', '')

/** A comment, wrapped. */
const comment = (text: string, indent: string): string => {
  const lines = ['']
  for (const word of plain(text).split(' ')) {
    if (lines.at(-1)!.length + word.length > 100) lines.push('')
    lines.push(`${lines.pop()!} ${word}`)
  }
  return lines.map((line) => `${indent}#${line}\n`).join('')
}

const meaningOf = ({ summary, fallback, unset }: Setting<unknown>): string =>
  `${summary} Empty: ${fallback === undefined ? (unset ?? 'none') : fallback || 'none'}.`

/** deploy/helm/hosting-control/values.yaml */
export function chartValues(): string {
  const outside = groups.flatMap(([group, , readBy]) => {
    const hosts = outsideOf(readBy)
    return hosts.length === 0
      ? []
      : [`    ${group}:\n${hosts.map(({ variable }) => `      ${variable}: {}\n`).join('')}`]
  })
  const values = groups.map(([group, who, readBy]) => {
    const entries = settingsOf(readBy).map(
      (setting) =>
        `${comment(meaningOf(setting), '    ')}    ${setting.variable}: '${chartDefaults[setting.variable] ?? ''}'\n`,
    )
    return `  # ${who}\n  ${group}:\n${entries.join('')}`
  })
  return `${notice} ${sources}.

${baseText()}  # Hosts that a setting names, each with the peers of a NetworkPolicy and the ports, for example
  # { to: [{ ipBlock: { cidr: 198.51.100.10/32 } }], ports: [443] }. Required for each that is set in \`settings\`.
  outside:
${outside.join('')}
# Every setting that is not secret: docs/generated/configuration.md.
settings:
${values.join('')}`
}

type Schema = Readonly<Record<string, unknown>>

/** Members whose names are not the chart's. */
const isFreeForm = (name: string, value: object): boolean =>
  Object.keys(value).length === 0 || /(^l|L)abels$|^requests$|^limits$/.test(name)

function schemaOf(name: string, value: unknown): Schema {
  if (Array.isArray(value)) return { type: 'array' }
  if (typeof value === 'number') return { type: 'integer', minimum: 1 }
  if (typeof value !== 'object' || value === null) return { type: typeof value }
  if (isFreeForm(name, value)) return { type: 'object' }
  return closed(
    Object.fromEntries(
      Object.entries(value).map(([member, inner]) => [member, schemaOf(member, inner)]),
    ),
  )
}

const closed = (properties: Readonly<Record<string, unknown>>): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
})

const settingSchema = (setting: Setting<unknown>): Schema => ({
  type: ['string', 'number', 'boolean'],
  description: plain(meaningOf(setting)),
  ...(setting.variable === 'PUBLIC_URL' && { type: 'string', pattern: '^https?://[^/]+' }),
})

const hostSchema = closed({
  to: { type: 'array', items: { type: 'object' } },
  ports: { type: 'array', items: { type: 'integer' }, minItems: 1 },
})

const byGroup = (
  pick: (readBy: Process | undefined) => Setting<unknown>[],
  toSchema: (setting: Setting<unknown>) => Schema,
): Schema => {
  const entries = groups.map(([group, , readBy]) => {
    const members = pick(readBy).map((setting) => [setting.variable, toSchema(setting)])
    return [group, closed(Object.fromEntries(members) as Schema)] as const
  })
  return closed(
    Object.fromEntries(
      entries.filter(([, { properties }]) => Object.keys(properties as object).length > 0),
    ),
  )
}

/** deploy/helm/hosting-control/values.schema.json */
export function chartSchema(): Promise<string> {
  const base = schemaOf('', parse(baseText())) as { readonly properties: Record<string, Schema> }
  const policy = base.properties['networkPolicy'] as { readonly properties: Schema }
  const networkPolicy = closed({
    ...policy.properties,
    outside: byGroup(outsideOf, () => hostSchema),
  })
  const schema = {
    $schema: 'https://json-schema.org/draft-07/schema#',
    ...closed({ ...base.properties, networkPolicy, settings: byGroup(settingsOf, settingSchema) }),
  }
  return formatAs('values.schema.json', JSON.stringify(schema))
}

/** deploy/helm/secrets.example.yaml: the Secrets of the processes. */
export function exampleSecrets(): string {
  const { secrets } = parse(baseText()) as { secrets: Readonly<Record<string, string>> }
  const names = { api: secrets['api'], worker: secrets['worker'], migrate: secrets['migration'] }
  const documents = processes.map((process) => {
    const read = all.filter((setting) => isInSecret(setting) && isReadBy(setting, process))
    const entries = read.map(
      (setting) =>
        `${comment(`${isRequired(setting) ? 'Required. ' : ''}${setting.summary}`, '  ')}  ${setting.variable}: ''\n`,
    )
    return `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${names[process]}\ntype: Opaque\nstringData:\n${entries.join('')}`
  })
  return `${notice} packages/core/src/configuration/settings.ts.
# What the Secrets of the chart contain. Secrets belong in your secret store (External Secrets, Sealed Secrets, Vault), not
# in a repository. Each process gets only what it reads: whoever takes over the API gets neither the key of the audit log
# nor the operators' password. Of the migration, DATABASE_URL is that of the role that owns the tables. Omit what is empty.
${documents.join('---\n')}`
}

const isReadBy = ({ variable, readBy }: Setting<unknown>, process: Process): boolean =>
  process === 'migrate'
    ? readBy === 'migrate' || /^DATABASE_(DIRECT_)?URL$/.test(variable)
    : readBy === undefined || readBy === process
