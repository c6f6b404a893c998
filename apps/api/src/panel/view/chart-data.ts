/** A series of a chart: its name, and the CSS class that sets its color. */
export interface Series {
  readonly name: string
  readonly className: string
}

/** A point on the time axis with one value per series; null where there is no data. */
export interface Point {
  readonly label: string
  /** The time of a label that is an hour and minute in UTC. A script shows it in the viewer's zone. */
  readonly at?: string | undefined
  readonly values: readonly (number | null)[]
  /** The page with the records of the point. */
  readonly href?: string
  /** What else there is to say of it. */
  readonly notes?: readonly string[]
}

/** A moment on the time axis, from 0 at its start to 1 at its end, with what happened. */
export interface ChartMark {
  readonly at: number
  readonly text: string
}

/** A part of the time axis. */
export interface ChartShade {
  readonly from: number
  readonly to: number
}
