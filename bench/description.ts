/** The text about a benchmark: docs/performance.md is generated from this and from bench/results.json. */
export interface Description {
  readonly title: string
  /** What is measured, against what, and how. */
  readonly text: string
  /** By section of its figures. */
  readonly sections: Readonly<Record<string, Section>>
}

/** A table of figures, and optionally a chart of some of them. */
export interface Section {
  readonly title: string
  readonly text?: string
  readonly rows: Labels
  readonly columns: Labels
  readonly chart?: Chart
}

/** The labels on the page, by name in the figures; in this order. */
export type Labels = Readonly<Record<string, string>>

/** Bars for some columns of every row. */
export interface Chart {
  readonly title: string
  readonly columns: readonly string[]
  /** By charted column: the column whose ratio is shown next to its bar. */
  readonly ratios?: Labels
}
