import {
  tokenLifetimeSecondsDefault,
  tokenLifetimeSecondsMax,
  tokenLifetimeSecondsMin,
  type WorkloadConditions,
} from '@hosting/core/workloads'
import { toBoolean, type SubmittedForm } from '../../../form.ts'
import { Select, TextArea, TextField } from '../../../view/fields.tsx'
import { formatConditions } from './conditions.ts'

/** The field for conditions as text. */
export const ConditionsField = ({
  label,
  hint = '',
  conditions = {},
}: {
  label: string
  hint?: string
  conditions?: WorkloadConditions
}) => (
  <TextArea
    name="conditions"
    label={label}
    hint={`${hint} One claim=value per line, for example ref_protected=true. Several lines with the same claim are alternatives. A value may end in *, in sub after at least 8 characters. /kubernetes.io/namespace names a nested claim. A name or value with special characters can be in quotation marks, as a JSON string.`.trim()}
    value={formatConditions(conditions)}
    variant="mono"
    spellcheck={false}
  />
)

/** Whether each identity token is exchanged once. */
export const SingleUseField = ({ singleUse }: { singleUse: boolean }) => (
  <Select
    name="single_use"
    label="Identity tokens"
    hint="The processes of a Kubernetes pod or a cloud machine share one identity token, so they need to exchange it again."
    value={String(singleUse)}
    choices={[
      { value: 'true', label: 'Each can be exchanged once' },
      { value: 'false', label: 'Each can be exchanged until it expires' },
    ]}
  />
)

/** The submitted choice. None: the default for the issuer. */
export const readSingleUse = (form: SubmittedForm) => toBoolean(form.text('single_use'))

/** The field for an audience of the customer's choice. */
export const AudienceField = () => (
  <TextField
    name="audience"
    label="Audience (optional)"
    hint="Only if the issuer does not allow any URL as audience, for example api://… for Microsoft Entra. Cannot be changed later."
    autocomplete="off"
    spellcheck={false}
  />
)

/** The field for the lifetime of exchanged tokens. */
export const TokenLifetimeField = ({ seconds = tokenLifetimeSecondsDefault }) => (
  <TextField
    name="token_lifetime_seconds"
    label="Lifetime of tokens, in seconds"
    hint={`How long a job can use a token: ${tokenLifetimeSecondsMin} to ${tokenLifetimeSecondsMax.toLocaleString('en')}. A job that takes longer exchanges another identity token.`}
    type="number"
    inputmode="numeric"
    value={String(seconds)}
    min={tokenLifetimeSecondsMin}
    max={tokenLifetimeSecondsMax}
  />
)

/** The submitted lifetime. Empty: the default. */
export const readTokenLifetime = (form: SubmittedForm): number | string =>
  form.number('token_lifetime_seconds') ?? tokenLifetimeSecondsDefault
