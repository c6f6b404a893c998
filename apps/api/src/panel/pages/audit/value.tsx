import { Time } from '../../view/time.tsx'

/** How much of a value a sentence shows. The details show all. */
const shownItemsMax = 3
const shownCharactersMax = 80

/** A value of an entry on one line: a text, a list, `on`, or `none`. `whole`: without leaving anything out. */
export function Value({ value, whole = false }: { value: unknown; whole?: boolean }) {
  if (value === null || value === undefined) return <em>none</em>
  if (typeof value === 'boolean') return <em>{value ? 'on' : 'off'}</em>
  if (!Array.isArray(value)) return <Text value={value} whole={whole} />
  if (value.length === 0) return <em>none</em>
  const shown = whole ? value : value.slice(0, shownItemsMax)
  const rest = value.length - shown.length
  return (
    <>
      {shown.map((item, index) => (
        <>
          {index > 0 && ', '}
          <Text value={item} whole={whole} />
        </>
      ))}
      {rest > 0 && ` and ${rest} more`}
    </>
  )
}

/** A time, as the API writes it. */
const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)

function Text({ value, whole }: { value: unknown; whole: boolean }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (isTime(text)) return <Time at={text} brief />
  const isShortened = !whole && text.length > shownCharactersMax
  return <code>{isShortened ? `${text.slice(0, shownCharactersMax)}…` : text}</code>
}
