import type { ComponentChildren } from 'preact'
import { Alert, DescriptionList, PageHeader } from './components.tsx'
import { FormCard } from './form.tsx'

/**
 * What a page shows before a dangerous action: what it does, to what, and its button. The link that leads here has the
 * variant `danger`, too.
 */
export const ConfirmationPage = ({
  title,
  crumbs,
  action,
  to,
  consequence: [consequence, text],
  isFinal = false,
  facts = [],
  button,
  cancel,
  children,
}: {
  /** A question, such as “Delete this endpoint?”. */
  title: string
  crumbs: readonly (readonly [name: string, path: string])[]
  action: string
  /** The page of the action, if it is another one. */
  to?: string
  /** What happens, in a few words and in sentences. */
  consequence: readonly [title: string, text: ComponentChildren]
  /** Whether it cannot be undone. */
  isFinal?: boolean
  facts?: readonly (readonly [string, ComponentChildren])[]
  button: string
  /** Where “Cancel” leads. */
  cancel: string
  /** Further fields. */
  children?: ComponentChildren
}) => (
  <>
    <PageHeader title={title} crumbs={crumbs} />
    <FormCard action={action} to={to} button={button} cancel={cancel} variant="danger">
      <Alert tone={isFinal ? 'bad' : 'warn'} title={consequence}>
        {text}
      </Alert>
      {facts.length > 0 && <DescriptionList items={facts} />}
      {children}
    </FormCard>
  </>
)
