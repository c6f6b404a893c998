/** Links that choose the time range of charts, by a parameter of the page's URL. */
export const RangeLinks = ({
  path,
  parameter,
  names,
  current,
}: {
  path: string
  parameter: string
  /** What each value of the parameter is called. */
  names: Readonly<Record<string, string>>
  current: string
}) => (
  <nav aria-label="Time range" class="buttons">
    {Object.entries(names).map(([value, name]) => (
      <a
        key={value}
        class={value === current ? 'button small' : 'button small plain'}
        href={`${path}?${parameter}=${value}`}
        aria-current={value === current ? 'true' : undefined}
      >
        {name}
      </a>
    ))}
  </nav>
)
