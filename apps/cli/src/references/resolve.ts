import { keyIdPattern } from '@hosting/core/api-keys'
import { uuidSource } from '@hosting/core/ids'
import { isCancel, select } from '@clack/prompts'
import { signedInClient } from '../auth/sign-in.ts'
import type { Command } from '../command.ts'
import type { Context } from '../context.ts'
import { isInteractive } from '../environment.ts'
import { CliError, Interruption, usageError } from '../exit-codes.ts'
import { listedBy, nounOf, type ValueKind } from '../options.ts'
import { printable } from '../terminal/text.ts'
import { findRecords, searchLengthMin, type NamedRecord, type RecordKind } from './find-records.ts'

type Inputs = Readonly<Record<string, unknown>>

/** Replaces the names and beginnings of ids among the inputs of a command by whole ids. Whole ids need no request. */
export async function resolveReferences(
  context: Context,
  command: Pick<Command, 'arguments' | 'options'>,
  inputs: Inputs,
): Promise<Inputs> {
  const resolved: Record<string, unknown> = { ...inputs }
  for (const [name, { values }] of Object.entries({ ...command.options, ...command.arguments })) {
    const given = inputs[name]
    if (!isRecordKind(values) || given === undefined) continue
    resolved[name] = Array.isArray(given)
      ? await resolveEach(context, values, given as readonly string[])
      : await resolveReference(context, values, given as string)
  }
  return resolved
}

async function resolveEach(
  context: Context,
  kind: RecordKind,
  texts: readonly string[],
): Promise<string[]> {
  const ids: string[] = []
  for (const text of texts) ids.push(await resolveReference(context, kind, text))
  return ids
}

const isRecordKind = (kind: ValueKind | undefined): kind is RecordKind =>
  kind !== undefined && Object.hasOwn(findRecords, kind)

const uuid = new RegExp(`^${uuidSource}$`, 'i')

const keyId = new RegExp(keyIdPattern)

const isWholeId = (kind: RecordKind, text: string): boolean =>
  (kind === 'key' || kind === 'any-key' ? keyId : uuid).test(text)

/** The id that a name, an id or the beginning of an id stands for. Asks if several records fit. */
export async function resolveReference(
  context: Context,
  kind: RecordKind,
  text: string,
): Promise<string> {
  if (isWholeId(kind, text)) return text
  if ((kind === 'delivery' || kind === 'event') && text.length < searchLengthMin) {
    const message = `"${text}" is too short: an id has 36 characters, of which the first ${searchLengthMin} are enough.`
    throw usageError('usage', message)
  }
  const records = await findRecords[kind](await signedInClient(context), text)
  const fitting = fittingRecords(records, text)
  if (fitting.length === 1) return fitting[0]!.id
  if (fitting.length > 1) return choose(context, { kind, text, fitting })
  // The accounts of a key that is not limited to some are not known.
  if (kind === 'account' && records.length === 0) return text
  throw notFound(kind, text)
}

function notFound(kind: RecordKind, text: string): CliError {
  const hint = listedBy[kind] && `${listedBy[kind]} shows the ids.`
  const what = kind === 'webhook' || kind === 'key' || kind === 'any-key' ? 'id or name' : 'id'
  const message = `There is no ${nounOf(kind)} with the ${what} "${text}", or this key cannot access it.`
  return new CliError('not_found', message, hint === undefined ? {} : { hint })
}

/** Shorter beginnings of ids fit by accident. A name fits by any beginning. */
const beginningLengthMin = 4

/** The records that fit best: by the whole id, by a whole name, or by the beginning of an id or a name. */
export function fittingRecords(
  records: readonly NamedRecord[],
  text: string,
): readonly NamedRecord[] {
  const wanted = text.toLowerCase()
  const isNamed = ({ names }: NamedRecord) => names.some((name) => name.toLowerCase() === wanted)
  const begins = ({ id, names }: NamedRecord) => {
    const texts = text.length >= beginningLengthMin ? [id, ...names] : names
    return text !== '' && texts.some((each) => each.toLowerCase().startsWith(wanted))
  }
  const whole = records.filter(({ id }) => id === wanted)
  const named = whole.length > 0 ? whole : records.filter(isNamed)
  return named.length > 0 ? named : records.filter(begins)
}

/** Candidates beyond this number do not help. */
const candidatesMax = 20

async function choose(
  { environment, output }: Context,
  { kind, text, fitting }: { kind: RecordKind; text: string; fitting: readonly NamedRecord[] },
): Promise<string> {
  const question = `"${text}" is the beginning or the name of more than one ${nounOf(kind)}`
  const shown = fitting.slice(0, candidatesMax)
  if (output.json || !isInteractive(environment)) {
    const lines = shown.map(({ id, name }) => `  ${id}  ${name}`)
    const rest = fitting.length - shown.length
    const more = rest > 0 ? [`  and ${rest} more`] : []
    throw usageError(
      'ambiguous',
      [`${question}:`, ...lines, ...more].join('\n'),
      'Give more of the name or the id.',
    )
  }
  const options = shown.map(({ id, name }) => ({
    value: id,
    label: printable(name || id),
    hint: id,
  }))
  const chosen = await select({ message: printable(`${question}. Which one?`), options })
  if (isCancel(chosen)) throw new Interruption()
  return chosen
}
