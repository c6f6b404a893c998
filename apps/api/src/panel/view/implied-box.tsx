/**
 * A checkbox of a group. If a value that implies it is chosen, it is checked and disabled. The panel's script keeps it so
 * while somebody chooses.
 */
export function ImpliedBox({
  name,
  value,
  isChosen,
  impliedBy,
}: {
  name: string
  value: string
  isChosen: (value: string) => boolean
  impliedBy: readonly string[]
}) {
  const isImplied = impliedBy.some(isChosen)
  return (
    <input
      type="checkbox"
      name={name}
      value={value}
      checked={isImplied || isChosen(value)}
      disabled={isImplied}
      data-implied-by={impliedBy.join(' ')}
    />
  )
}
