import { attemptResultLabel, findAttemptHelp, type ErrorClassHelp } from '@hosting/core/webhooks'
import type { IncidentDetailsRecord } from '../../../api/schemas/endpoint.ts'

/** A way in which attempts of an incident failed. */
export interface IncidentCause {
  /** `HTTP 500`, `Timeout`. */
  readonly label: string
  readonly help: ErrorClassHelp | undefined
  readonly attempts: number
  /** The CSS class of its color. */
  readonly className: string
}

/** A time in which attempts failed in one way. It ends when they begin to fail in another. */
export interface CauseSpan {
  readonly start: Date
  readonly end: Date
  readonly attempts: number
  readonly cause: IncidentCause
}

/** The causes of an incident with their spans, both in the order of time. */
export interface IncidentCauses {
  readonly causes: readonly IncidentCause[]
  readonly spans: readonly CauseSpan[]
}

/** The number of colors. Further causes share the last one. */
const colorsMax = 6

/** Divides the time of an incident by cause, up to its end. Attempts overlap, so a span begins at the earliest where the previous one does. */
export function causesOf({ timeline }: IncidentDetailsRecord, end: Date): IncidentCauses {
  const groups = Map.groupBy(timeline, labelOf)
  const causes = new Map(
    [...groups].map(([label, spans], index): [string, IncidentCause] => [
      label,
      {
        label,
        help: findAttemptHelp(resultOf(spans[0]!)),
        attempts: spans.reduce((sum, { attempts }) => sum + attempts, 0),
        className: `cause${Math.min(index + 1, colorsMax)}`,
      },
    ]),
  )
  const starts: Date[] = []
  for (const { start } of timeline) starts.push(later(start, starts.at(-1) ?? start))
  const spans = timeline.map((span, index) => ({
    start: starts[index]!,
    end: starts[index + 1] ?? later(end, starts[index]!),
    attempts: span.attempts,
    cause: causes.get(labelOf(span))!,
  }))
  return { causes: [...causes.values()], spans }
}

type Span = IncidentDetailsRecord['timeline'][number]

const resultOf = ({ status_code: statusCode, error_class: errorClass }: Span) => ({
  statusCode,
  errorClass,
})

const labelOf = (span: Span): string => attemptResultLabel(resultOf(span)) ?? span.error_class

const later = (one: Date, other: Date): Date => (one > other ? one : other)
