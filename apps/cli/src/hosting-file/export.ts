import { Document } from 'yaml'
import type { Current, CurrentRecord } from './current.ts'
import { hostingSchema } from '../generated/hosting-schema.ts'
import { kinds, type Kind, type Settings } from './hosting-file.ts'
import { escapeVariables } from './variables.ts'

/** A file for what the service has, and the variables that it takes from the environment. */
export interface Exported {
  readonly file: Settings
  readonly variables: readonly string[]
}

/** Writes what has an external id. Values of headers are not returned by the service, so they become variables. */
export function toFile(current: Current): Exported {
  const variables = new Set<string>()
  const sections = kinds.map((kind) => {
    // Oldest first, so that a newer endpoint does not take the variable of an older one.
    const objects = [...current.objects[kind]].toReversed().map(([externalId, record]) => {
      const headers = headerVariables(externalId, record, variables)
      const settings = settingsOf(kind, record)
      return [
        externalId,
        Object.keys(headers).length === 0 ? settings : { ...settings, headers },
      ] as const
    })
    return [kind, Object.fromEntries(objects.toReversed())] as const
  })
  return {
    file: {
      version: 1,
      ...Object.fromEntries(sections),
      ...(current.keyPolicy && { key_policy: current.keyPolicy }),
    },
    variables: [...variables],
  }
}

/** The file as YAML. The first line tells editors the schema. */
export function toYaml(file: Settings, server: string): string {
  const document = new Document(file)
  document.commentBefore = ` yaml-language-server: $schema=${new URL('/docs/hosting.schema.json', server).href}`
  return document.toString({ lineWidth: 100 })
}

type Section = { readonly additionalProperties: { readonly properties: Settings } }
const { properties } = hostingSchema as unknown as { properties: Readonly<Record<Kind, Section>> }

/** The members that the file has of a record, except those that say nothing. */
function settingsOf(kind: Kind, record: CurrentRecord): Settings {
  const values = record as unknown as Settings
  const members = Object.keys(properties[kind].additionalProperties.properties)
    .filter((name) => values[name] !== undefined && values[name] !== null)
    .map((name) => [name, name === 'workload' ? workloadOf(record) : values[name]] as const)
  return escapeVariables(Object.fromEntries(members)) as Settings
}

/** The default of the audience names the id of the key, which another key cannot have. */
function workloadOf(record: CurrentRecord): Settings {
  const { workload } = record as unknown as { workload: Settings }
  const { audience, ...others } = workload
  return String(audience).endsWith(`/workloads/${record.id}`) ? others : workload
}

function headerVariables(
  externalId: string,
  record: CurrentRecord,
  taken: Set<string>,
): Record<string, string> {
  const names = 'header_names' in record ? record.header_names : []
  return Object.fromEntries(
    names.map((name) => {
      const variable = firstFree(variableOf(externalId, name), taken)
      taken.add(variable)
      return [name, `\${${variable}}`]
    }),
  )
}

/** A value of a header must not reach another endpoint, so two headers never share a variable. */
function firstFree(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let count = 2; taken.has(free); count += 1) free = `${name}_${count}`
  return free
}

const variableOf = (externalId: string, header: string): string =>
  `${externalId}_${header}`
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_')
