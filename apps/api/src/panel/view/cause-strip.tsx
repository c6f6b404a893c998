import { lastedText } from './moments.ts'
import { utcTime } from './time.tsx'

/** A part of a strip. */
export interface StripPart {
  readonly start: Date
  readonly end: Date
  readonly label: string
  /** The class of its color. */
  readonly className: string
}

/** The width that even the shortest part has, and that of the strip. */
const [partMin, width, height] = [4, 1_000, 36]

/** A strip over time that is colored by cause. The legend and the list beside it say the same as a text. */
export function CauseStrip({
  label,
  start,
  end,
  parts,
}: {
  label: string
  start: Date
  end: Date
  parts: readonly StripPart[]
}) {
  const ms = Math.max(1, end.getTime() - start.getTime())
  const xOf = (at: Date): number => ((at.getTime() - start.getTime()) / ms) * width
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {parts.map((part) => (
        <rect
          key={`${part.start.getTime()} ${part.label}`}
          class={part.className}
          x={Math.min(xOf(part.start), width - partMin)}
          width={Math.max(xOf(part.end) - xOf(part.start), partMin)}
          height={height}
        >
          <title>
            {part.label}, {lastedText(part.end.getTime() - part.start.getTime())} from{' '}
            {utcTime(part.start)}
          </title>
        </rect>
      ))}
    </svg>
  )
}

/** The color of a part in a text. */
export const CauseSwatch = ({ className }: { className: string }) => (
  <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
    <rect class={className} width="10" height="10" rx="2" />
  </svg>
)
