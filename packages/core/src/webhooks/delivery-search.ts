import { eventTypes } from './event-types.ts'

/** The number of first characters of an id that a search needs. */
export const searchedIdLengthMin = 8

/** Maximum length of a search text, in characters. */
export const searchLengthMax = 100

/** What a search text may stand for. A delivery matches if any of these does. */
export interface DeliverySearch {
  /** The text in lower case. It may be the id of an object, or a domain, zone or host name. */
  readonly text: string
  /** The range of delivery and event ids that begin with the text. */
  readonly ids: readonly [lowest: string, highest: string] | undefined
  /** Whether ids of objects may only begin with the text. */
  readonly isPrefix: boolean
  readonly eventType: string | undefined
}

const uuidLayout = '00000000-0000-0000-0000-000000000000'
const uuidPart = /^[0-9a-f]+(-[0-9a-f]*)*$/

/** Reads a search text. Case plays no part, and every text is valid: what matches nothing is an empty list. */
export function parseDeliverySearch(query: string): DeliverySearch {
  const text = query.trim().toLowerCase()
  const isPrefix = text.length >= searchedIdLengthMin
  return {
    text,
    ids: isPrefix && isStartOfUuid(text) ? [fill(text, '0'), fill(text, 'f')] : undefined,
    isPrefix,
    eventType: eventTypes.has(text) ? text : undefined,
  }
}

const isStartOfUuid = (text: string): boolean =>
  text.length <= uuidLayout.length &&
  uuidPart.test(text) &&
  Array.from(text).every((character, index) => (character === '-') === (uuidLayout[index] === '-'))

const fill = (text: string, digit: string): string =>
  text + uuidLayout.slice(text.length).replaceAll('0', digit)
