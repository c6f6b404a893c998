import { decideAccess } from '@hosting/core/scopes'
import type { KeyRecord } from '../../../api/records/api-key.ts'
import { endPreviousSecretsRoute } from '../../../api/routes/api-key-previous-secrets.ts'
import { keyUsageRoute } from '../../../api/routes/api-key-usage.ts'
import { keyUsesRoute } from '../../../api/routes/api-key-uses.ts'
import { getKeyRoute, updateKeyRoute } from '../../../api/routes/api-keys.ts'
import { listAuditEventsRoute } from '../../../api/routes/audit-log.ts'
import { readAccountNames } from '../../../api/use-cases/key-accounts.ts'
import { readKeyLineage } from '../../../api/use-cases/key-lineage.ts'
import { readKeyPolicy } from '../../../api/use-cases/key-policy.ts'
import { readPreviousSecretUse } from '../../../api/use-cases/previous-secrets.ts'
import { page, type Redirect, type SignedInRequest } from '../../page.ts'
import { BarChart } from '../../view/chart.tsx'
import { long } from '../../view/chart-scale.ts'
import { Copyable } from '../../view/copyable.tsx'
import { Card, Chips, DescriptionList } from '../../view/components.tsx'
import { Live, pageUpdateMs } from '../../view/live.tsx'
import { RefusedAction } from '../../view/refused-action.tsx'
import { Time } from '../../view/time.tsx'
import { KeyHeader } from './key-header.tsx'
import { LineageSection } from './lineage.tsx'
import { Exchanges, exchangesShown } from './workload/exchanges.tsx'
import { PreviousTokenNote } from './previous-token.tsx'
import { LastRefusals, refusalsShown } from './refusals.tsx'
import { narrowedScopes, UnusedScopes } from './unused-scopes.tsx'
import { UsesCard, usesShown } from './uses.tsx'
import { ViolationNote, WideAllowlistNote } from './violations.tsx'

export const keyPage = page({
  path: '/keys/:id',
  access: 'apikeys.read',
  async show({ call, caller, params, services }) {
    const input = { params: { id: params.id } }
    const { key } = await call(getKeyRoute, input)
    const usage = await call(keyUsageRoute, input)
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
            <Card title="Requests by day" hint="Last 30 days in UTC.">
              {usage.items.some(({ requests }) => requests > 0) ? (
                <UsageChart days={usage.items} />
              ) : (
                <p class="quiet">No requests in the last 30 days.</p>
              )}
            </Card>
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

const UsageChart = ({ days }: { days: readonly DailyUsage[] }) => (
  <BarChart
    label="Requests by day and outcome"
    size={long}
    series={[
      { name: 'Accepted', className: 'c3' },
      { name: 'Refused (403)', className: 'c2' },
      { name: 'Rate limited (429)', className: 'c4' },
    ]}
    points={days
      .map(({ date, requests, refused, rate_limited }) => ({
        label: date.slice(5),
        values: [Math.max(0, requests - refused - rate_limited), refused, rate_limited],
      }))
      .toReversed()}
  />
)

/** The requests of a key on a day, as the API returns them. */
interface DailyUsage {
  readonly date: string
  readonly requests: number
  readonly refused: number
  readonly rate_limited: number
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
