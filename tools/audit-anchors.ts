import { type AuditAnchor } from '@hosting/core/audit'

/**
 * Parses anchors, one per line: as `npm run audit:anchor` prints them, or as the worker logs them. Other lines of a log are
 * skipped.
 *
 * @param source - the name of the text, for errors.
 * @throws Error if the text contains anything but anchors and lines of a log, or no anchor.
 */
export function parseAnchors(text: string, source: string): AuditAnchor[] {
  const found = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : parseLine(line, `${source}:${index + 1}`)))
  if (found.length === 0) throw new Error(`${source} contains no anchor`)
  return found
}

function parseLine(line: string, place: string): AuditAnchor[] {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Error(`${place} is not JSON`)
  }
  const { level, anchor } = (value ?? {}) as { level?: unknown; anchor?: unknown }
  const isLogged = typeof level === 'number'
  if (isLogged && anchor === undefined) return []
  return [checkedAnchor(isLogged ? anchor : value, place)]
}

function checkedAnchor(value: unknown, place: string): AuditAnchor {
  const { time, count, hash, signature } = (value ?? {}) as Partial<AuditAnchor>
  const isText = [time, hash, signature].every((each) => typeof each === 'string')
  if (!isText || !Number.isSafeInteger(count) || count! < 0) {
    throw new Error(`${place} is not an anchor`)
  }
  return { time: time!, count: count!, hash: hash!, signature: signature! }
}
