import type { ComponentChildren, Key } from 'preact'

/** A ranking: items by value in descending order, each with a proportional bar. */
export const Ranking = ({
  items,
}: {
  items: readonly { key: Key; name: ComponentChildren; value: number }[]
}) => {
  const max = Math.max(1, ...items.map(({ value }) => value))
  return (
    <ol class="ranking">
      {items.map(({ key, name, value }) => (
        <li key={key}>
          <span>{name}</span>
          <svg viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">
            <rect class="track" width="100" height="3" />
            <rect class="c3" width={(value / max) * 100} height="3" />
          </svg>
          <span>{value.toLocaleString('en')}</span>
        </li>
      ))}
    </ol>
  )
}

/** A sparkline of attempts over time. The text next to it says the same. */
export const Sparkline = ({
  buckets,
}: {
  buckets: readonly { readonly succeeded: number; readonly failed: number }[]
}) => {
  const max = Math.max(1, ...buckets.map(({ succeeded, failed }) => succeeded + failed))
  const part = 120 / buckets.length
  return (
    <svg class="spark" viewBox="0 0 120 28" preserveAspectRatio="none" aria-hidden="true">
      {buckets.map(({ succeeded, failed }, index) => {
        const [ok, bad] = [(succeeded / max) * 26, (failed / max) * 26]
        const bar = { x: index * part + 0.5, width: part - 1 }
        return (
          // oxlint-disable-next-line react/no-array-index-key -- the index is the position in time
          <g key={index}>
            <rect class="track" {...bar} y="26" height="2" />
            {ok > 0 && <rect class="c1" {...bar} y={28 - ok} height={ok} />}
            {bad > 0 && <rect class="c2" {...bar} y={28 - ok - bad} height={bad} />}
          </g>
        )
      })}
    </svg>
  )
}
