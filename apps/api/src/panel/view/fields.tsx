import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { errorSentence, fieldId, FormContext } from './form.tsx'
import { Icon } from './icon.tsx'
import { momentAttributes } from './moments.ts'

interface FieldProps {
  readonly name: string
  /** The API's member that its errors name, if it has another name. */
  readonly member?: string | undefined
  readonly label: string
  readonly hint?: ComponentChildren
  /** The initial value. */
  readonly value?: string | undefined
}

/** The HTML attributes and errors of a field. `error`: a sentence of a form that is not submitted as an action. */
function useField(
  name: string,
  {
    hint,
    member = name,
    error,
  }: Pick<FieldProps, 'hint' | 'member'> & { error?: string | undefined },
) {
  const refused = useContext(FormContext)
  const messages = refused?.errors.get(member) ?? []
  const errors = error === undefined ? messages.map((text) => errorSentence(member, text)) : [error]
  const id = fieldId(member)
  const describedBy = [hint !== undefined && `${id}-hint`, errors.length > 0 && `${id}-error`]
  return {
    refused,
    errors,
    attributes: {
      id,
      name,
      'aria-invalid': errors.length > 0 ? ('true' as const) : undefined,
      'aria-describedby': describedBy.filter(Boolean).join(' ') || undefined,
      // With a single invalid field, focus goes to the field instead of the error list.
      ...(errors.length > 0 && refused?.errors.size === 1 && { autofocus: true }),
    },
  }
}

function Notes({
  id,
  hint,
  errors,
}: {
  id: string
  hint: ComponentChildren
  errors: readonly string[]
}) {
  return (
    <>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {errors.length > 0 && (
        <div id={`${id}-error`}>
          {errors.slice(0, 5).map((error) => (
            <p key={error} class="error">
              <Icon name="alert" size={14} />
              {error}
            </p>
          ))}
        </div>
      )}
    </>
  )
}

/** A single-line text field. */
export function TextField({
  name,
  label,
  hint,
  value,
  type = 'text',
  secret = false,
  variant = '',
  error,
  ...further
}: FieldProps & {
  error?: string | undefined
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'datetime-local' | 'search'
  /** The value is not shown again after an error. */
  secret?: boolean
  variant?: string
  autocomplete?: string
  autocapitalize?: 'none' | 'characters'
  inputmode?: 'text' | 'numeric' | 'url' | 'email'
  spellcheck?: boolean
  autofocus?: boolean
  maxlength?: number
  min?: number
  max?: number
  required?: boolean
}) {
  const { refused, errors, attributes } = useField(name, { hint, error })
  const shown = secret ? undefined : refused ? refused.form.verbatim(name) : value
  return (
    <div class="field">
      <label for={attributes.id}>{label}</label>
      <input
        class={`input ${variant}`}
        {...inputType(type)}
        {...(type === 'datetime-local' && momentAttributes)}
        value={shown}
        {...further}
        {...attributes}
      />
      <Notes id={attributes.id} hint={hint} errors={errors} />
    </div>
  )
}

/** A multi-line text field. */
export function TextArea({
  name,
  label,
  hint,
  value,
  variant = '',
  ...further
}: FieldProps & { variant?: string; spellcheck?: boolean; maxlength?: number; rows?: number }) {
  const { refused, errors, attributes } = useField(name, { hint })
  return (
    <div class="field">
      <label for={attributes.id}>{label}</label>
      <textarea class={`input ${variant}`} {...further} {...attributes}>
        {refused ? refused.form.verbatim(name) : value}
      </textarea>
      <Notes id={attributes.id} hint={hint} errors={errors} />
    </div>
  )
}

/** An option: its value, label and explanation. */
export interface Choice {
  readonly value: string
  readonly label: string
  readonly hint?: string
}

/** A drop-down list. */
export function Select({
  name,
  member,
  label,
  hint,
  value,
  choices,
}: FieldProps & { choices: readonly Choice[] }) {
  const { refused, errors, attributes } = useField(name, { hint, member })
  const chosen = refused ? refused.form.text(name) : value
  return (
    <div class="field">
      <label for={attributes.id}>{label}</label>
      <select class="input" {...attributes}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === chosen}>
            {choice.label}
          </option>
        ))}
      </select>
      <Notes id={attributes.id} hint={hint} errors={errors} />
    </div>
  )
}

/** Fields with one label. With a single invalid field, the focus goes to the group. */
function FieldGroup({
  name,
  label,
  hint,
  children,
}: Pick<FieldProps, 'name' | 'label' | 'hint'> & { children: ComponentChildren }) {
  const { errors, attributes } = useField(name, { hint })
  return (
    <fieldset
      class="field"
      id={attributes.id}
      tabIndex={-1}
      autofocus={attributes.autofocus}
      aria-describedby={attributes['aria-describedby']}
    >
      <legend>{label}</legend>
      <Notes id={attributes.id} hint={hint} errors={errors} />
      {children}
    </fieldset>
  )
}

/** A group of radio buttons. */
export function Radios({
  name,
  label,
  hint,
  value,
  choices,
}: FieldProps & { choices: readonly Choice[] }) {
  const refused = useContext(FormContext)
  const chosen = refused ? refused.form.text(name) : value
  return (
    <FieldGroup name={name} label={label} hint={hint}>
      <div class="choices cards">
        {choices.map((choice) => (
          <label key={choice.value} class="check">
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === chosen}
            />
            <span>{choice.label}</span>
            {choice.hint !== undefined && <span class="hint">{choice.hint}</span>}
          </label>
        ))}
      </div>
    </FieldGroup>
  )
}

/** A group of checkboxes that share a name. `children` renders them and receives the checked values. */
export function CheckBoxes({
  name,
  label,
  hint,
  chosen,
  children,
}: Omit<FieldProps, 'value'> & {
  chosen: readonly string[]
  children: (isChosen: (value: string) => boolean) => ComponentChildren
}) {
  const refused = useContext(FormContext)
  const values = new Set(refused ? refused.form.all(name) : chosen)
  return (
    <FieldGroup name={name} label={label} hint={hint}>
      {children((value) => values.has(value))}
    </FieldGroup>
  )
}

/** The `type` attribute of an input. JSX's own types accept single literals but no union of them. */
export const inputType = (type: string) => ({ type }) as { type: 'text' }

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
