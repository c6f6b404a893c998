import type { KeyPolicy } from '@hosting/core/api-keys'
import type { KeyRecord } from '../../../api/schemas/api-key.ts'
import { Alert } from '../../view/components.tsx'
import { usePage } from '../../view/context.ts'
import { Radios } from '../../view/fields.tsx'
import type { Filter } from '../../view/filters.tsx'

/** The owner of a key: a person, or the organization. */
export const KeyOwner = ({ record: { kind, user } }: { record: KeyRecord }) =>
  kind === 'personal' ? <bdi title={user.name}>{user.name}</bdi> : <>Organization</>

/** Filters keys by their owner. */
export const ownerFilter: Filter = {
  name: 'kind',
  label: 'Owner',
  choices: [
    { value: '', label: 'Any owner' },
    { value: 'personal', label: 'Person' },
    { value: 'organization', label: 'Organization' },
  ],
}

const owners = {
  personal: {
    label: 'You',
    hint: 'Acts as you. Stops working when your account is deactivated.',
  },
  organization: {
    label: 'Organization',
    hint: 'Acts as a service user. Does not depend on any person’s account.',
  },
}

/** The choice of a new key's owner, for those who have one. */
export function OwnerField({ policy }: { policy: KeyPolicy }) {
  const { may } = usePage()
  const forbidden = 'The key policy of the organization allows organization keys only.'
  if (!may('apikeys.manage')) {
    return policy.personalKeysAllowed ? null : (
      <Alert title="Personal keys are not allowed">{forbidden}</Alert>
    )
  }
  const kinds = policy.personalKeysAllowed
    ? (['personal', 'organization'] as const)
    : (['organization'] as const)
  return (
    <Radios
      name="kind"
      label="Owner"
      value={kinds[0]}
      choices={kinds.map((value) => ({ value, ...owners[value] }))}
      {...(!policy.personalKeysAllowed && { hint: forbidden })}
    />
  )
}
