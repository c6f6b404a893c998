import { createContext, type ComponentChildren } from 'preact'
import { usePage, type RejectedForm } from './context.ts'
import { Alert, Card, LinkButton } from './components.tsx'
import { Icon } from './icon.tsx'

/** The rejected form, for its fields. */
export const FormContext = createContext<RejectedForm | undefined>(undefined)

/**
 * A form for one action. The action's name and the CSRF token are submitted with it. A rejected form keeps
 * its values and shows its errors, in a list above and next to each field.
 */
export function Form({
  action,
  to,
  plain = false,
  id,
  autoSubmit = false,
  wrongCredentials,
  children,
}: {
  action: string
  to?: string
  /** For fields outside of the form. */
  id?: string
  /** For forms that consist of a button: shows no error list. */
  plain?: boolean
  /** Whether the script submits the form as soon as the page is shown. */
  autoSubmit?: boolean
  /** What may be wrong if the credentials are not valid, where the form asks for less than a sign-in. */
  wrongCredentials?: string
  children: ComponentChildren
}) {
  const page = usePage()
  const refused = page.refused?.action === action ? page.refused : undefined
  return (
    <form
      method="post"
      id={id}
      action={to ?? page.url}
      class={plain ? undefined : 'form'}
      data-auto-submit={autoSubmit ? '' : undefined}
      novalidate
    >
      <input type="hidden" name="do" value={action} />
      {page.csrfToken !== undefined && (
        <input type="hidden" name="csrf_token" value={page.csrfToken} />
      )}
      {page.personMark !== undefined && (
        <input type="hidden" name="person" value={page.personMark} />
      )}
      {refused && !plain && <Errors refused={refused} wrongCredentials={wrongCredentials} />}
      <FormContext.Provider value={refused}>{children}</FormContext.Provider>
    </form>
  )
}

function Errors({
  refused: { code, title, detail, errors, isInterrupted },
  wrongCredentials,
}: {
  refused: RejectedForm
  wrongCredentials: string | undefined
}) {
  if (isInterrupted) return <Interrupted title={title} detail={detail} />
  return (
    // oxlint-disable-next-line jsx-a11y/no-autofocus -- a rejected form is announced at its start
    <div class="alert bad" role="alert" tabIndex={-1} autofocus={errors.size !== 1}>
      <Icon name="alert" />
      <div>
        <strong>
          {errors.size === 0 ? title : errors.size === 1 ? 'Fix this field' : 'Fix these fields'}
        </strong>
        {errors.size === 0 ? (
          <div>{(code === 'invalid_credentials' && wrongCredentials) || detail}</div>
        ) : (
          <ul>
            {[...errors].map(([name, messages]) => (
              <li key={name}>
                <FieldError name={name} sentence={errorSentence(name, messages[0]!)} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}

/** An error with a link to its field. */
function FieldError({ name, sentence }: { name: string; sentence: string }) {
  const label = labelOf(name)
  return (
    <>
      <a href={`#${fieldId(name)}`}>{label}</a>
      {sentence.startsWith(label) ? sentence.slice(label.length) : `: ${sentence}`}
    </>
  )
}

/** Says why the form was not submitted, and that it must be submitted again. */
export const Interrupted = ({ title, detail }: Pick<RejectedForm, 'title' | 'detail'>) => (
  <div class="alert info" role="status">
    <Icon name="info" />
    <div>
      <strong>{title}</strong>
      <div>{detail}</div>
    </div>
  </div>
)

/** The id of a field's element. */
export const fieldId = (name: string): string => `field-${name}`

/**
 * An error of a field as a sentence. The API's messages begin with a verb whose subject is the field (`is required`)
 * or an entry of it (`“x” is not an IP address`), or are whole sentences.
 */
export function errorSentence(name: string, message: string): string {
  const sentence = /^[a-z]/.test(message) ? `${labelOf(name)} ${message}` : message
  return sentence.endsWith('.') ? sentence : `${sentence}.`
}

/** What errors call the fields whose label differs from their name. */
const labels: Readonly<Record<string, string>> = {
  ip_allowlist: 'Allowed IP addresses',
  expires_at: 'Expiration',
  max_lifetime_days: 'Maximum lifetime in days',
  ip_allowlist_required: 'IP allowlist',
  rate_limit_per_minute: 'Requests per minute',
  repository_id: 'Repository ID',
  repository_owner_id: 'Owner ID',
  project_id: 'Project ID',
  namespace_id: 'Group ID',
  token_lifetime_seconds: 'Lifetime of tokens',
  url: 'URL',
  totp_code: 'Code',
  user_code: 'Code',
  typed_code: 'Code',
  second_factor_from: 'Required from',
}

const labelOf = (name: string): string => labels[name] ?? capitalized(name.replaceAll('_', ' '))

/** Text with its first letter in upper case. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The submit button of a form. */
export const Submit = ({
  variant = 'primary',
  name,
  value,
  children,
}: {
  variant?: string
  name?: string
  value?: string
  children: ComponentChildren
}) => (
  <button type="submit" class={`button ${variant}`} name={name} value={value}>
    {children}
  </button>
)

/** A card with a form, its button, and a link back. */
export const FormCard = ({
  title,
  action,
  to,
  variant,
  button,
  cancel,
  children,
}: {
  title?: string
  action: string
  /** The page of the action, if it is another one. */
  to?: string | undefined
  /** Of the button. */
  variant?: string
  button: string
  /** Where “Cancel” leads. */
  cancel: string
  children: ComponentChildren
}) => (
  <Card {...(title !== undefined && { title })}>
    <Form action={action} {...(to !== undefined && { to })}>
      {children}
      <div class="buttons">
        <Submit {...(variant !== undefined && { variant })}>{button}</Submit>
        <LinkButton to={cancel}>Cancel</LinkButton>
      </div>
    </Form>
  </Card>
)

/** A form that consists of one button. */
export const ActionButton = ({
  action,
  to,
  variant = '',
  children,
}: {
  action: string
  to?: string
  variant?: string
  children: ComponentChildren
}) => (
  <Form action={action} {...(to !== undefined && { to })} plain>
    <Submit variant={variant}>{children}</Submit>
  </Form>
)

/** Shows why a button's action failed. */
export function RefusedAction() {
  const { refused } = usePage()
  if (!refused) return null
  return refused.isInterrupted ? (
    <Interrupted {...refused} />
  ) : (
    <Alert tone="bad" live title={refused.title}>
      {refused.detail}
    </Alert>
  )
}
