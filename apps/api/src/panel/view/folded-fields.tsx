import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { FormContext } from './form.tsx'

/**
 * Fields that few people need. They are folded away, unless they have a value or an error, or the submitted form has a
 * value for them.
 */
export function FoldedFields({
  title,
  hint,
  names,
  hasValues,
  children,
}: {
  title: string
  /** What is inside, beside the title. */
  hint: string
  /** The names of the fields. */
  names: readonly string[]
  /** Whether a field has an initial value. */
  hasValues: boolean
  children: ComponentChildren
}) {
  const refused = useContext(FormContext)
  const isUsed = names.some(
    (name) =>
      refused?.errors.has(name) || refused?.form.all(name).some((value) => value.trim() !== ''),
  )
  return (
    <details class="details folded" open={hasValues || isUsed}>
      <summary>
        <span>{title}</span>
        <span class="quiet small">{hint}</span>
      </summary>
      <div class="form">{children}</div>
    </details>
  )
}
