import type { Figure, Unit } from '../../bench/results.ts'

/** A value with its unit. */
export const valueText = (unit: Unit, value: number): string =>
  numberText(unit, value) + units[unit].sign

/** A figure, with the range of its rounds if it has one. */
export function figureText(figure: Figure): string {
  const { unit } = figure
  const middle = valueText(unit, middleOf(figure))
  if (!('median' in figure)) return middle
  return `${middle} (${numberText(unit, figure.min)} to ${numberText(unit, figure.max)})`
}

/** The single value of a figure. */
export const middleOf = (figure: Figure): number =>
  'median' in figure ? figure.median : figure.value

const numberText = (unit: Unit, value: number): string => units[unit].toText(value)

const whole = (value: number): string => Math.round(value).toLocaleString('en')
/** Three significant digits; whole numbers from 100 on. */
const precise = (value: number): string =>
  Math.abs(value) >= 100 ? whole(value) : String(Number(value.toPrecision(3)))

const units: Readonly<Record<Unit, { sign: string; toText: (value: number) => string }>> = {
  '/s': { sign: '/s', toText: whole },
  ms: { sign: ' ms', toText: precise },
  µs: { sign: ' µs', toText: whole },
  MiB: { sign: ' MiB', toText: precise },
  count: { sign: '', toText: (value) => value.toLocaleString('en') },
  ratio: { sign: '×', toText: (value) => value.toFixed(2) },
  share: { sign: ' %', toText: (value) => precise(value * 100) },
}
