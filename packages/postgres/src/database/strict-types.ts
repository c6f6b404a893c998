import type pg from 'pg'

/**
 * Parsers of columns that throw if a time is not in the form of DateStyle ISO and TimeZone UTC. pg reads any other form as
 * null or another time, and Prisma's adapter takes every time for one in UTC.
 */
export function strictTypes({ getTypeParser }: pg.CustomTypesConfig): pg.CustomTypesConfig {
  const strict = (...of: Parameters<typeof getTypeParser>) => {
    const parse = getTypeParser(...of)
    const form = timeForms.get(of[0])
    if (!form) return parse
    return (text: string | null) => {
      if (text !== null && !form.test(text)) throw new UnreadableTime(text)
      return parse(text)
    }
  }
  return { getTypeParser: strict as typeof getTypeParser }
}

/** A time of PostgreSQL in another form than that of the settings of our sessions. */
export class UnreadableTime extends Error {
  constructor(text: string) {
    super(
      `PostgreSQL sent a time that is not in DateStyle ISO and TimeZone UTC: ${text.slice(0, 60)}`,
    )
  }
}

const date = String.raw`\d{4,6}-\d\d-\d\d`
const moment = String.raw`${date} \d\d:\d\d:\d\d(?:\.\d{1,6})?`
const only = (form: string): RegExp => new RegExp(`^${form}$`)
const listOf = (form: string): RegExp => {
  const element = `(?:"?${form}"?|NULL)`
  return only(String.raw`\{(?:${element}(?:,${element})*)?\}`)
}

/** By the ids of the types in PostgreSQL's catalog: `date`, `timestamp`, `timestamptz` and their arrays. */
const timeForms: ReadonlyMap<number, RegExp> = new Map([
  [1082, only(date)],
  [1114, only(moment)],
  [1184, only(String.raw`${moment}\+00`)],
  [1182, listOf(date)],
  [1115, listOf(moment)],
  [1185, listOf(String.raw`${moment}\+00`)],
])
