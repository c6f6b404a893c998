import { problemCountMax } from '@hosting/postgres'
import type { EndpointProblem, ProblemGroup } from '../../use-cases/attention.ts'
import { usePage } from '../view/context.ts'
import { Badge, Card, LinkButton } from '../view/components.tsx'
import { ActionButton } from '../view/form.tsx'
import { Icon } from '../view/icon.tsx'
import { Time } from '../view/time.tsx'
import { endpointName } from './deliveries/endpoint-name.ts'

/** The endpoints that need attention, grouped by cause. Each has one action. */
export const Attention = ({ groups }: { groups: readonly ProblemGroup[] }) =>
  groups.length === 0 ? (
    <p class="all-well">
      <Icon name="check" />
      Nothing needs attention: no endpoint is failing, and no delivery of the last 24 hours was
      lost.
    </p>
  ) : (
    <Card title="Needs attention" aside={<Badge tone="bad">{countOf(groups)}</Badge>}>
      <div class="problems">
        {groups.map((group) => (
          <Group key={`${group.kind} ${group.cause}`} group={group} />
        ))}
      </div>
    </Card>
  )

function countOf(groups: readonly ProblemGroup[]): string {
  const count = groups.reduce((sum, { endpoints }) => sum + endpoints.length, 0)
  return count === 1 ? '1 problem' : `${count} problems`
}

const titles = {
  failing: 'Failing',
  disabled: 'Disabled, with deliveries that wait',
  lost: 'Deliveries failed for good',
} as const

const explanations = {
  failing: undefined,
  disabled: 'Their deliveries are sent after the endpoint is enabled.',
  lost: 'Their last retry failed in the last 24 hours. Recover them after the cause is fixed.',
} as const

const Group = ({ group: { kind, cause, help, endpoints } }: { group: ProblemGroup }) => (
  <section>
    <h3>{cause === null ? titles[kind] : `${titles[kind]}: ${cause}`}</h3>
    <p class="quiet">
      {explanations[kind] ?? (help ? `${help.meaning} ${help.advice}` : undefined)}
    </p>
    <ul>
      {endpoints.map((problem) => (
        <li key={problem.webhook.id}>
          <div>
            <a href={`/webhooks/${problem.webhook.id}`} title={problem.webhook.url}>
              <bdi>{endpointName(problem.webhook)}</bdi>
            </a>
            <span class="under">
              {describe(kind, problem.count)}
              {problem.since !== null && (
                <>
                  {' '}
                  since <Time at={problem.since} />
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

function describe(kind: ProblemGroup['kind'], count: number): string {
  const noun = { failing: 'failed attempt', disabled: 'waiting delivery', lost: 'failed delivery' }[
    kind
  ]
  if (count === 1) return `1 ${noun}`
  const shown = `${count.toLocaleString('en')}${count >= problemCountMax ? '+' : ''}`
  return `${shown} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`
}

function Action({
  kind,
  problem: {
    webhook: { id },
  },
}: {
  kind: ProblemGroup['kind']
  problem: EndpointProblem
}) {
  const mayManage = usePage().may('webhooks.manage')
  if (kind === 'failing' || !mayManage) {
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
