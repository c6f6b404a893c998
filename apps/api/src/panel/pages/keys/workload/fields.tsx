import {
  tokenLifetimeSecondsDefault,
  tokenLifetimeSecondsMax,
  tokenLifetimeSecondsMin,
  type WorkloadConditions,
} from '@hosting/core/workloads'
import type { SubmittedForm } from '../../../form.ts'
import { TextArea, TextField } from '../../../view/fields.tsx'
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
    hint={`${hint} One claim=value per line, for example ref_protected=true. Several lines with the same claim are alternatives. A value may end in * after at least 8 characters.`.trim()}
    value={formatConditions(conditions)}
    variant="mono"
    spellcheck={false}
  />
)

/** The field for the lifetime of exchanged tokens. */
export const TokenLifetimeField = ({ seconds = tokenLifetimeSecondsDefault }) => (
  <TextField
    name="token_lifetime_seconds"
    label="Lifetime of tokens, in seconds"
    hint={`How long a job can use a token: ${tokenLifetimeSecondsMin} to ${tokenLifetimeSecondsMax}. A job that takes longer exchanges another identity token.`}
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
