import { decideAccess } from '@hosting/core/scopes'
import type { KeyRecord } from '../../../api/schemas/api-key.ts'
import { endPreviousSecretsRoute } from '../../../api/routes/api-key-previous-secrets.ts'
import { keyUsesRoute } from '../../../api/routes/api-key-uses.ts'
import { getKeyRoute, updateKeyRoute } from '../../../api/routes/api-keys.ts'
import { listAuditEventsRoute } from '../../../api/routes/audit-log.ts'
import {
  readAccountNames,
  readKeyLineage,
  readKeyPolicy,
  readPreviousSecretUse,
} from '../../../api/for-pages.ts'
import { page, type Redirect, type SignedInRequest } from '../../page.ts'
import { Copyable } from '../../view/copyable.tsx'
import { Card, Chips, DescriptionList } from '../../view/components.tsx'
import { Live, pageUpdateMs } from '../../view/live.tsx'
import { RefusedAction } from '../../view/form.tsx'
import { Time } from '../../view/time.tsx'
import { KeyHeader } from './key-header.tsx'
import { LineageSection } from './lineage.tsx'
import { Exchanges, exchangesShown } from './workload/exchanges.tsx'
import { PreviousTokenNote } from './previous-token.tsx'
import { LastRefusals, refusalsShown } from './refusals.tsx'
import { narrowedScopes, UnusedScopes } from './unused-scopes.tsx'
import { readShownUsage, UsageCard } from './usage-chart.tsx'
import { UsesCard, usesShown } from './uses.tsx'
import { ViolationNote, WideAllowlistNote } from './violations.tsx'

export const keyPage = page({
  path: '/keys/:id',
  access: 'apikeys.read',
  async show(pageRequest) {
    const { call, caller, params, services } = pageRequest
    const input = { params: { id: params.id } }
    const { key } = await call(getKeyRoute, input)
    const usage = await readShownUsage(pageRequest, key)
    const uses = await call(keyUsesRoute, { ...input, query: { limit: usesShown } })
    const previous = await readPreviousSecretUse(services, caller, key.id)
    const policy = await readKeyPolicy(services, caller)
    const lineage = await readKeyLineage(services, caller, key.id)
    const accounts = await readAccountNames(services, caller, key.accounts)
    const audited = async (action: string, limit: number) =>
      (
        await call(listAuditEventsRoute, {
          query: { action, key_id: key.id, limit: String(limit) },
        })
      ).items
    const readsAudit = mayReadAudit(caller)
    const exchanges =
      key.workload && readsAudit ? await audited('api_key.exchange', exchangesShown) : undefined
    const refusals = readsAudit ? await audited('api_key.refuse', refusalsShown) : []
    return {
      title: key.name,
      updateMs: pageUpdateMs,
      body: (
        <>
          <Live id="key-header" className="sections">
            <KeyHeader record={key} caller={caller} policy={policy} />
            {previous && <PreviousTokenNote record={key} caller={caller} use={previous} />}
          </Live>
          <RefusedAction />
          <Live id="key-details" className="sections">
            <ViolationNote record={key} policy={policy} />
            <WideAllowlistNote record={key} />
            <UsageCard keyId={key.id} usage={usage} />
            <UsesCard keyId={key.id} uses={uses.items} />
            {refusals.length > 0 && <LastRefusals keyId={key.id} refusals={refusals} />}
            <UnusedScopes record={key} caller={caller} />
            {exchanges && <Exchanges keyId={key.id} exchanges={exchanges} />}
            <Card title="Settings">
              <KeyDetails record={key} accounts={accounts} />
            </Card>
            {lineage.children.length > 0 && (
              <Card
                title="Created with this key"
                hint="Programs created these keys, and new tokens of other keys, with its token. You can revoke them together with this key."
              >
                <LineageSection lineage={lineage} />
              </Card>
            )}
          </Live>
        </>
      ),
    }
  },
  actions: {
    disable: ({ call, params }) => setEnabled(call, params.id, false),
    enable: ({ call, params }) => setEnabled(call, params.id, true),
    async narrow({ call, params, form }) {
      const input = { params: { id: params.id } }
      const { key } = await call(getKeyRoute, input)
      const scopes = narrowedScopes(key, form.all('unused'))
      await call(updateKeyRoute, { ...input, body: { scopes } })
      return { to: `/keys/${params.id}`, message: 'key_narrowed' }
    },
    async end_previous({ call, params }) {
      await call(endPreviousSecretsRoute, { params: { id: params.id } })
      return { to: `/keys/${params.id}`, message: 'previous_secrets_ended' }
    },
  },
})

const mayReadAudit = ({ user }: SignedInRequest['caller']): boolean =>
  !decideAccess({ roles: user.roles, key: null }, 'audit.read', 'GET')

async function setEnabled(
  call: SignedInRequest['call'],
  id: string,
  enabled: boolean,
): Promise<Redirect> {
  await call(updateKeyRoute, { params: { id }, body: { enabled } })
  return { to: `/keys/${id}`, message: enabled ? 'key_enabled' : 'key_disabled' }
}

const sources = {
  panel: 'Panel',
  api: 'API',
  device: 'Device login',
  workload: 'Workload identity',
} as const

/** What a workload key exchanges for its tokens. */
const workloadItems = ({ workload }: KeyRecord) =>
  workload
    ? ([
        ['Issuer', <code>{workload.issuer}</code>],
        ['Audience', <Copyable id="audience" text={workload.audience} name="audience" />],
        [
          'Conditions',
          <Chips
            items={Object.entries(workload.conditions).map(
              ([claim, accepted]) => `${claim}: ${[accepted].flat().join(', ')}`,
            )}
          />,
        ],
        ['Lifetime of tokens', `${workload.token_lifetime_seconds} s`],
        [
          'Identity tokens',
          workload.single_use
            ? 'Each can be exchanged once'
            : 'Each can be exchanged until it expires',
        ],
      ] as const)
    : []

const KeyDetails = ({
  record: key,
  accounts,
}: {
  record: KeyRecord
  accounts: readonly string[] | null
}) => (
  <DescriptionList
    items={[
      ['Key ID', <Copyable id="key-id" text={key.id} name="key ID" />],
      ['Scopes', <Chips items={key.scopes} />],
      [
        'Owner',
        <>
          <bdi>{key.user.name}</bdi>
          {key.kind === 'organization' && (
            <span class="under">Service user of the organization</span>
          )}
        </>,
      ],
      ['Accounts', accounts ? <Chips items={accounts} /> : 'All'],
      ['Allowed IP addresses', key.ip_allowlist ? <Chips items={key.ip_allowlist} /> : 'All'],
      ['Requests per minute', String(key.rate_limit_per_minute)],
      ...workloadItems(key),
      ['Expires', key.expires_at ? <Time at={key.expires_at} exact /> : 'Never'],
      [
        'Last used',
        key.last_used_at ? (
          <>
            <Time at={key.last_used_at} /> from <code>{key.last_used_ip}</code>
          </>
        ) : (
          'Never'
        ),
      ],
      ['Created by', key.created_by ? <bdi>{key.created_by.name}</bdi> : 'Deleted user'],
      [
        'Created with',
        key.parent_key_id === null ? (
          sources[key.source]
        ) : (
          <>
            Key <a href={`/keys/${key.parent_key_id}`}>{key.parent_key_id}</a>
          </>
        ),
      ],
      ['Created', <Time at={key.created_at} exact />],
      ...(key.workload ? [] : [['Rotated', <Time at={key.rotated_at} exact />] as const]),
      ...(key.revoked_at ? [['Revoked', <Time at={key.revoked_at} exact />] as const] : []),
    ]}
  />
)
