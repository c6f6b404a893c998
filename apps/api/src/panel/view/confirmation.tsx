import type { ComponentChildren } from 'preact'
import type { View } from '../page.ts'
import { Alert, DescriptionList, PageHeader } from './components.tsx'
import { FormCard } from './form.tsx'

/** A dangerous action, and what its page says. */
interface Confirmation {
  /** A question, such as “Delete this endpoint?”. */
  readonly question: string
  readonly crumbs: readonly (readonly [name: string, path: string])[]
  readonly action: string
  /** The page of the action, if it is another one. */
  readonly to?: string
  /** What happens, in a few words and in sentences. */
  readonly consequence: readonly [title: string, text: ComponentChildren]
  /** Whether it cannot be undone. */
  readonly isFinal?: boolean
  readonly facts?: readonly (readonly [string, ComponentChildren])[]
  readonly button: string
  /** Where “Cancel” leads. */
  readonly cancel: string
  /** Further fields. */
  readonly fields?: ComponentChildren
}

/**
 * The page that asks before a dangerous action: what it does, to what, and its button. The link that leads here has the
 * variant `danger`, too.
 */
export const confirmationView = (title: string, confirmation: Confirmation): View => ({
  title,
  body: <Confirm {...confirmation} />,
})

const Confirm = ({
  question,
  crumbs,
  action,
  to,
  consequence: [consequence, text],
  isFinal = false,
  facts = [],
  button,
  cancel,
  fields,
}: Confirmation) => (
  <>
    <PageHeader title={question} crumbs={crumbs} />
    <FormCard action={action} to={to} button={button} cancel={cancel} variant="danger">
      <Alert tone={isFinal ? 'bad' : 'warn'} title={consequence}>
        {text}
      </Alert>
      {facts.length > 0 && <DescriptionList items={facts} />}
      {fields}
    </FormCard>
  </>
)
