import type { KeyPolicy } from '@hosting/core/api-keys'
import type { SessionCaller } from '../../../api/access/caller.ts'
import type { KeyRecord } from '../../../api/schemas/api-key.ts'
import { LinkButton, PageHeader, Tabs } from '../../view/components.tsx'
import { usePage } from '../../view/context.ts'
import { ActionButton } from '../../view/form.tsx'
import { KeyStatusLabel } from '../../view/status.tsx'
import { creationLink } from './prefill.ts'
import { violationsOf } from './violations.tsx'
import type { SignedInRequest } from '../../page.ts'

/** A key, and the policy of its organization. */
interface GovernedKey {
  readonly record: KeyRecord
  readonly policy: KeyPolicy
}

/** A key that violates the policy cannot be rotated. */
const Renew = ({ record, policy }: GovernedKey) =>
  violationsOf(record, policy).length > 0 ? (
    <LinkButton to={creationLink(record)}>Create replacement</LinkButton>
  ) : (
    <LinkButton to={`/keys/${record.id}/rotate`}>Rotate</LinkButton>
  )

/** The header of a key's pages: its name, status and actions, and the tabs. */
export function KeyHeader({ record: key, caller, policy }: Managed) {
  const { may } = usePage()
  const path = `/keys/${key.id}`
  return (
    <div class="record-head">
      <PageHeader
        title={key.name}
        crumbs={[['API keys', '/keys']]}
        badge={<KeyStatusLabel status={key.status} />}
        actions={<Actions record={key} caller={caller} policy={policy} />}
      />
      <Tabs
        label="API key"
        tabs={[
          ['Overview', path],
          ['Uses', `${path}/uses`],
          ...(may('audit.read') ? [['History', `${path}/history`] as const] : []),
        ]}
      />
    </div>
  )
}

interface Managed extends GovernedKey {
  readonly caller: SessionCaller
}

function Actions({ record: key, caller, policy }: Managed) {
  const isManager = usePage().may('apikeys.manage')
  const manages = useManages({ record: key, caller })
  return (
    <>
      {manages && (key.status === 'active' || key.status === 'disabled') && (
        <>
          {!key.enabled && (
            <ActionButton action="enable" to={`/keys/${key.id}`}>
              Enable
            </ActionButton>
          )}
          <LinkButton to={`/keys/${key.id}/edit`}>Edit</LinkButton>
          {key.workload ? (
            <>
              <LinkButton to={`/keys/${key.id}/workload/edit`}>Edit conditions</LinkButton>
              <LinkButton to={`/keys/${key.id}/workload`}>Use in a job</LinkButton>
            </>
          ) : (
            <Renew record={key} policy={policy} />
          )}
          {key.enabled && (
            <LinkButton to={`/keys/${key.id}/disable`} variant="danger">
              Disable
            </LinkButton>
          )}
        </>
      )}
      {(manages || isManager) && key.status !== 'revoked' && (
        <LinkButton to={`/keys/${key.id}/revoke`} variant="danger">
          Revoke
        </LinkButton>
      )}
    </>
  )
}

/** Breadcrumbs from the list to a key. */
export const keyCrumbs = ({ id, name }: Pick<KeyRecord, 'id' | 'name'>) =>
  [
    ['API keys', '/keys'],
    [name, `/keys/${id}`],
  ] as const

/** A key on its page, and the person who looks at it. */
export interface ViewedKey {
  readonly record: KeyRecord
  readonly caller: SignedInRequest['caller']
}

/** Whether the caller may edit and rotate a key: its owner, or for organization keys an administrator. */
export const useManages = ({ record, caller }: ViewedKey): boolean => {
  const isManager = usePage().may('apikeys.manage')
  return record.kind === 'personal' ? record.user.id === caller.user.id : isManager
}
