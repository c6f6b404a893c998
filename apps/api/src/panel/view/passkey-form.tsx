import { Problem } from '@hosting/core/problems'
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { ComponentChildren } from 'preact'
import type { SubmittedForm } from '../form.ts'
import { Form } from './form.tsx'

type Options = PublicKeyCredentialRequestOptionsJSON | PublicKeyCredentialCreationOptionsJSON

/**
 * A form that a script sends with a passkey of the browser. It is hidden without scripts, and where the browser has no
 * passkeys for this host.
 */
export const PasskeyForm = ({
  kind,
  action,
  to,
  options,
  autofill = false,
  children,
}: {
  /** Whether the browser uses a passkey or creates one. */
  kind: 'get' | 'create'
  action: string
  to?: string
  options: Options
  /** Whether the browser also offers passkeys in fields with `autocomplete` `webauthn`. */
  autofill?: boolean
  /** The fields and the button. */
  children: ComponentChildren
}) => (
  <div
    data-passkey={kind}
    data-options={JSON.stringify(options)}
    data-autofill={autofill ? '' : undefined}
    hidden
  >
    <Form action={action} {...(to !== undefined && { to })}>
      <input type="hidden" name="passkey" />
      {children}
      <p class="error" role="alert" hidden />
    </Form>
  </div>
)

/** The credential that the script has put into the form. @throws Problem `invalid_credentials` if it is malformed. */
export function readPasskey(form: SubmittedForm): unknown {
  try {
    return JSON.parse(form.verbatim('passkey') ?? '')
  } catch {
    throw new Problem('invalid_credentials')
  }
}
