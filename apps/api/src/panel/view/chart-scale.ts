/** The size of a picture in its own units; it scales to the available width. */
export interface Size {
  readonly width: number
  readonly height: number
  /** The bounds of the plot area. */
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const sizeOf = (width: number, height: number, below: number): Size => ({
  width,
  height,
  left: 72,
  right: width - 6,
  top: 12,
  bottom: height - below,
})

/** Sizes for half the page width and for the full width. */
export const short = sizeOf(480, 200, 34)
export const long = sizeOf(960, 240, 48)

/** A round number at or above the maximum, for the top of the axis. */
export function niceCeiling(max: number): number {
  if (max <= 4) return 4
  const magnitude = 10 ** Math.floor(Math.log10(max))
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * magnitude >= max)!
  return step * magnitude
}

/** The x coordinate of a place on the time axis: 0 is its start, 1 is its end. */
export const xOfShare = (share: number, { left, right }: Size): number =>
  rounded(left + share * (right - left))

/** The x coordinate of a point. */
export const xOf = (index: number, count: number, size: Size): number =>
  xOfShare((index + 0.5) / count, size)

/** The y coordinate of a value. */
export const yOf = (value: number, max: number, { top, bottom }: Size): number =>
  rounded(bottom - (value / max) * (bottom - top))

/** Which labels are shown: at most `max`, of which narrow screens hide every other one. */
export function rankOf(index: number, count: number, max: number): 'major' | 'minor' | undefined {
  const step = Math.ceil(count / max)
  const stepsFromEnd = (count - 1 - index) / step
  if (!Number.isInteger(stepsFromEnd)) return undefined
  return stepsFromEnd % 2 === 0 ? 'major' : 'minor'
}

const rounded = (value: number): number => Math.round(value * 10) / 10

export const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)
