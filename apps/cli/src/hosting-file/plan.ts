import { endpointName } from '@hosting/core/webhooks'
import { compare, isSame, toDifference, type Difference } from './compare.ts'
import type { Current, CurrentRecord } from './current.ts'
import type { HostingFile, Kind, Settings, Wanted } from './hosting-file.ts'

/** The members of the key policy. */
type Policy = Readonly<Record<string, number | boolean | null>>

/** One object that differs from the file. */
export type Step =
  | ({ readonly action: 'create'; readonly kind: Kind; readonly externalId: string } & Wanted)
  | {
      readonly action: 'update'
      readonly kind: Kind
      readonly externalId: string
      readonly id: string
      readonly differences: readonly Difference[]
      /** What is sent; undefined if the object differs only in what no key can change. */
      readonly body: Settings | undefined
    }
  | {
      readonly action: 'delete'
      readonly kind: Kind
      readonly externalId: string
      readonly id: string
      readonly name: string
    }
  | {
      readonly action: 'update'
      readonly kind: 'key_policy'
      readonly differences: readonly Difference[]
      /** The policy that a person has to save. */
      readonly policy: Policy
    }
  /** A secret that an interrupted apply made and did not store. */
  | {
      readonly action: 'renew_secret'
      readonly kind: Kind
      readonly externalId: string
      readonly id: string
    }

export interface PlanOptions {
  /** Deletes what has an external id that the file does not name. */
  readonly deletes: boolean
  /** Sends the values of custom headers again. */
  readonly resendsHeaders: boolean
  /** Whether the secret of an object was made and not stored. */
  readonly isUnstored: (kind: Kind, externalId: string) => boolean
}

/**
 * Lists what to do, in a safe order: the policy that keys must comply with, then keys, then endpoints, then what is deleted.
 * The key in use comes last, because its own change may end the access.
 */
export function makePlan(file: HostingFile, current: Current, options: PlanOptions): Step[] {
  const ownLast = (steps: readonly Step[]): Step[] => {
    const isOwn = (step: Step) => 'id' in step && step.id === current.ownKeyId
    return [...steps.filter((step) => !isOwn(step)), ...steps.filter(isOwn)]
  }
  const wanted = (kind: Kind): Step[] =>
    [...(file.objects[kind] ?? [])].flatMap(([externalId, object]) =>
      stepsFor({ kind, externalId, object }, current.objects[kind].get(externalId), options),
    )
  const unwanted = (kind: Kind): Step[] =>
    [...current.objects[kind]]
      .filter(([externalId]) => options.deletes && !file.objects[kind]?.has(externalId))
      .map(([externalId, record]) => {
        return { action: 'delete', kind, externalId, id: record.id, name: nameOf(record) }
      })
  return [
    ...policySteps(file, current),
    ...ownLast(wanted('keys')),
    ...wanted('webhooks'),
    ...unwanted('webhooks'),
    ...ownLast(unwanted('keys')),
  ]
}

const nameOf = (record: CurrentRecord): string =>
  'url' in record ? endpointName(record) : record.name

function policySteps({ keyPolicy }: HostingFile, current: Current): Step[] {
  if (!keyPolicy) return []
  const actual = current.keyPolicy ?? {}
  const differences = Object.entries(keyPolicy.settings)
    .filter(([field, value]) => !isSame(field, value, actual[field]))
    .map(([field]) => toDifference(field, actual[field], keyPolicy.written[field]))
  if (differences.length === 0) return []
  return [
    { action: 'update', kind: 'key_policy', differences, policy: keyPolicy.settings as Policy },
  ]
}

function stepsFor(
  { kind, externalId, object }: { kind: Kind; externalId: string; object: Wanted },
  record: CurrentRecord | undefined,
  options: PlanOptions,
): Step[] {
  if (!record) return [{ action: 'create', kind, externalId, ...object }]
  const { id } = record
  const steps: Step[] = options.isUnstored(kind, externalId)
    ? [{ action: 'renew_secret', kind, externalId, id }]
    : []
  const differences = compare(kind, object, record)
  const { headers } = object.settings
  if (options.resendsHeaders && headers && !differences.some(({ field }) => field === 'headers')) {
    differences.push({ field: 'headers', to: Object.keys(headers) })
  }
  if (differences.length === 0) return steps
  const body = bodyOf(object.settings, differences)
  return [...steps, { action: 'update', kind, externalId, id, differences, body }]
}

/** The members to send. Another URL may need the headers again, which are not sent to another host otherwise. */
function bodyOf(settings: Settings, differences: readonly Difference[]): Settings | undefined {
  const fields = new Set(differences.filter(({ fixed }) => !fixed).map(({ field }) => field))
  if (fields.size === 0) return undefined
  if (fields.has('url') && 'headers' in settings) fields.add('headers')
  return Object.fromEntries([...fields].map((field) => [field, settings[field]]))
}
