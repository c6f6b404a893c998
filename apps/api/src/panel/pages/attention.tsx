import { endpointName } from '@hosting/core/webhooks'
import { lostCountMax } from '@hosting/postgres/deliveries'
import { waitingCountMax } from '@hosting/postgres/webhooks'
import type { EndpointIssue, IssueGroup, IssueKind } from '../../use-cases/attention.ts'
import { usePage } from '../view/context.ts'
import { Badge, Card, LinkButton } from '../view/components.tsx'
import { ActionButton } from '../view/form.tsx'
import { Icon } from '../view/icon.tsx'
import { Time } from '../view/time.tsx'
import { ExpiringKeys, type Expiring } from './keys/expiring.tsx'

/** The endpoints and keys that need attention, grouped by cause. Each has one action. */
export const Attention = ({
  groups,
  expiring,
}: {
  groups: readonly IssueGroup[]
  expiring: Expiring
}) =>
  groups.length === 0 && expiring.total === 0 ? (
    <p class="all-well">
      <Icon name="check" />
      Nothing needs attention: no endpoint is failing, no delivery of the last 24 hours failed for
      good, and no key expires soon.
    </p>
  ) : (
    <Card title="Needs attention" aside={<ProblemCount groups={groups} expiring={expiring} />}>
      <div class="problems">
        {groups.map((group) => (
          <Group key={`${group.kind} ${group.cause}`} group={group} />
        ))}
        {expiring.total > 0 && <ExpiringKeys {...expiring} />}
      </div>
    </Card>
  )

/** The number of problems. Keys that expire are not a failure yet. */
function ProblemCount({ groups, expiring }: { groups: readonly IssueGroup[]; expiring: Expiring }) {
  const count = groups.reduce((sum, { endpoints }) => sum + endpoints.length, expiring.total)
  return (
    <Badge tone={groups.length > 0 ? 'bad' : 'warn'}>
      {count === 1 ? '1 problem' : `${count} problems`}
    </Badge>
  )
}

const titles: Readonly<Record<IssueKind, string>> = {
  failing: 'Failing',
  failed: 'Last attempt failed',
  disabled: 'Disabled',
  lost: 'Deliveries failed for good',
}

const explanations: Readonly<Record<IssueKind, string>> = {
  failing: '',
  failed: '',
  disabled: 'Deliveries wait until the endpoint is enabled.',
  lost: 'Their last retry failed in the last 24 hours. Recover them after you have fixed the cause.',
}

const Group = ({ group: { kind, cause, help, endpoints } }: { group: IssueGroup }) => (
  <section>
    <h3>{cause === null ? titles[kind] : `${titles[kind]}: ${cause}`}</h3>
    <p class="quiet">
      {[help?.meaning, kind === 'lost' ? undefined : help?.advice, explanations[kind]]
        .filter(Boolean)
        .join(' ')}
    </p>
    <ul>
      {endpoints.map((problem) => (
        <li key={problem.webhook.id}>
          <div>
            <a
              class="standalone"
              href={`/webhooks/${problem.webhook.id}`}
              title={problem.webhook.url}
            >
              <bdi>{endpointName(problem.webhook)}</bdi>
            </a>
            <span class="under">
              {describe(kind, problem.count)}
              {problem.since !== null && (
                <>
                  {' '}
                  {kind === 'failed' ? 'at' : 'since'} <Time at={problem.since} />
                </>
              )}
            </span>
          </div>
          <Action kind={kind} problem={problem} />
        </li>
      ))}
    </ul>
  </section>
)

const nouns: Readonly<Record<IssueKind, readonly [one: string, many: string, max: number]>> = {
  failing: ['failed attempt', 'failed attempts', Infinity],
  failed: ['failed attempt', 'failed attempts, the last', Infinity],
  disabled: ['waiting delivery', 'waiting deliveries', waitingCountMax],
  lost: ['failed delivery', 'failed deliveries', lostCountMax],
}

function describe(kind: IssueKind, count: number): string {
  const [one, many, max] = nouns[kind]
  return `${count.toLocaleString('en')}${count >= max ? '+' : ''} ${count === 1 ? one : many}`
}

function Action({
  kind,
  problem: {
    webhook: { id },
  },
}: {
  kind: IssueKind
  problem: EndpointIssue
}) {
  const mayManage = usePage().may('webhooks.manage')
  if (kind === 'failing' || kind === 'failed' || !mayManage) {
    return (
      <LinkButton to={`/deliveries?webhook_id=${id}`} variant="small">
        View deliveries
      </LinkButton>
    )
  }
  return kind === 'disabled' ? (
    <ActionButton action="enable" to={`/webhooks/${id}`} variant="small">
      Enable
    </ActionButton>
  ) : (
    <LinkButton to={`/webhooks/${id}/recover`} variant="small">
      Recover
    </LinkButton>
  )
}
