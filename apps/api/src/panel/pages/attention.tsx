import { endpointName } from '@hosting/core/webhooks'
import {
  lostCountMax,
  waitingCountMax,
  type ExpiringKey,
  type EndpointIssue,
  type IssueKind,
} from '../../api/for-pages.ts'
import { Table, type Column } from '@hosting/html'
import { usePage } from '../view/context.ts'
import { Badge, Card, LinkButton } from '../view/components.tsx'
import { ActionButton } from '../view/form.tsx'
import { Icon } from '../view/icon.tsx'
import { countAttempts } from './webhooks/failure-rate.tsx'
import { Sparkline } from '../view/ranking.tsx'
import { Ago } from '../view/time.tsx'
import { creationLink } from './keys/prefill.ts'
import { RetryButton } from './webhooks/retries.tsx'

/** The next keys to expire, and how many expire soon. */
interface Expiring {
  readonly keys: readonly ExpiringKey[]
  readonly total: number
}

/** A key that expires soon, and what to do about it. */
const KeyProblem = ({ apiKey: { id, name } }: { apiKey: ExpiringKey }) => (
  <>
    <a class="row-link" href={`/keys/${id}`}>
      <bdi>{name}</bdi>
    </a>
    <span class="under">
      <strong>API key expires.</strong> Create a new key and switch to it before this one expires.
    </span>
  </>
)

/** Creates the replacement of a key that expires. */
const KeyAction = ({ apiKey: { id, name, scopes } }: { apiKey: ExpiringKey }) =>
  usePage().may('apikeys.create') ? (
    <LinkButton to={creationLink({ name, scopes })} variant="small">
      Create replacement
    </LinkButton>
  ) : (
    <LinkButton to={`/keys/${id}`} variant="small">
      View key
    </LinkButton>
  )

/** A row: an endpoint, or a key that expires. */
type Problem = { readonly issue: EndpointIssue } | { readonly expiring: ExpiringKey }

/** The endpoints and keys that need attention, the most urgent first. Each has one action. */
export function Attention({
  issues,
  expiring: { keys, total },
}: {
  issues: readonly EndpointIssue[]
  expiring: Expiring
}) {
  if (issues.length === 0 && total === 0) {
    return (
      <p class="all-well">
        <Icon name="check" />
        Nothing needs attention: no endpoint is failing, no delivery failed for good in the last 24
        hours, and no key expires soon.
      </p>
    )
  }
  const count = issues.length + total
  return (
    <Card
      flush
      title="Needs attention"
      aside={
        <Badge tone={issues.length > 0 ? 'bad' : 'warn'}>
          {count === 1 ? '1 problem' : `${count} problems`}
        </Badge>
      }
      foot={
        total > keys.length && (
          <span class="small quiet">
            And {total - keys.length} more keys that expire soon: see <a href="/keys">all keys</a>.
          </span>
        )
      }
    >
      <Table
        caption="What needs attention, the most urgent first"
        variant="attention"
        rows={[...issues.map((issue) => ({ issue })), ...keys.map((expiring) => ({ expiring }))]}
        keyOf={keyOf}
        columns={columns}
      />
    </Card>
  )
}

const keyOf = (problem: Problem): string =>
  'issue' in problem
    ? `${problem.issue.kind} ${problem.issue.endpoint.id} ${problem.issue.cause}`
    : problem.expiring.id

const columns: readonly Column<Problem>[] = [
  {
    name: 'Problem',
    show: (problem) =>
      'issue' in problem ? <IssueText {...problem} /> : <KeyProblem apiKey={problem.expiring} />,
  },
  {
    name: 'How many',
    show: (problem) =>
      'issue' in problem ? (
        <Count {...problem} />
      ) : (
        `${counted(problem.expiring.requests, 'request', 'requests')} in 7 days`
      ),
  },
  {
    name: 'Since',
    show: (problem) =>
      'issue' in problem ? (
        <Ago at={problem.issue.since} />
      ) : (
        <>
          Expires&nbsp;
          <Ago at={problem.expiring.expiresAt} />
        </>
      ),
  },
  {
    name: 'Last 24 hours',
    show: (problem) =>
      'issue' in problem && countAttempts(problem.issue.stats.buckets).total > 0 ? (
        <Sparkline buckets={problem.issue.stats.buckets} />
      ) : (
        <span class="quiet">–</span>
      ),
  },
  {
    name: 'Action',
    show: (problem) =>
      'issue' in problem ? <Action {...problem} /> : <KeyAction apiKey={problem.expiring} />,
  },
]

const titles: Readonly<Record<IssueKind, string>> = {
  failing: 'Failing',
  failed: 'Last attempt failed',
  disabled: 'Disabled',
  lost: 'Deliveries failed for good',
}

const IssueText = ({ issue: { endpoint, kind, cause, help } }: { issue: EndpointIssue }) => (
  <>
    <a class="row-link" href={`/webhooks/${endpoint.id}`} title={endpoint.url}>
      <bdi>{endpointName(endpoint)}</bdi>
    </a>
    <span class="under">
      <strong>{cause === null ? titles[kind] : `${titles[kind]}: ${cause}`}.</strong>{' '}
      {kind === 'lost'
        ? 'Recover them after you have fixed the cause.'
        : [help?.advice, kind === 'disabled' && 'Deliveries wait until the endpoint is enabled.']
            .filter(Boolean)
            .join(' ')}
    </span>
  </>
)

const nouns: Readonly<Record<IssueKind, readonly [one: string, many: string, max: number]>> = {
  failing: ['failed attempt', 'failed attempts', Infinity],
  failed: ['failed attempt', 'failed attempts', Infinity],
  disabled: ['waiting delivery', 'waiting deliveries', waitingCountMax],
  lost: ['failed delivery', 'failed deliveries', lostCountMax],
}

/** How many attempts or deliveries. Failed attempts lead to the deliveries. */
function Count({ issue: { kind, count, endpoint } }: { issue: EndpointIssue }) {
  const [one, many, max] = nouns[kind]
  const text = counted(count, one, many, max)
  return isFailing(kind) ? (
    <a class="standalone" href={`/webhooks/${endpoint.id}/deliveries`}>
      {text}
    </a>
  ) : (
    <>{text}</>
  )
}

const isFailing = (kind: IssueKind): boolean => kind === 'failing' || kind === 'failed'

const counted = (count: number, one: string, many: string, max = Infinity): string =>
  `${count.toLocaleString('en')}${count >= max ? '+' : ''} ${count === 1 ? one : many}`

function Action({ issue: { kind, endpoint, retries } }: { issue: EndpointIssue }) {
  const mayManage = usePage().may('webhooks.manage')
  const path = `/webhooks/${endpoint.id}`
  if (isFailing(kind) && mayManage && retries > 0) {
    return <RetryButton endpoint={endpoint} retries={retries} />
  }
  if (isFailing(kind) || !mayManage) {
    return (
      <LinkButton to={`${path}/deliveries`} variant="small">
        View deliveries
      </LinkButton>
    )
  }
  return kind === 'disabled' ? (
    <ActionButton action="enable" to={path} variant="small">
      Enable
    </ActionButton>
  ) : (
    <LinkButton to={`${path}/recover?range=7d`} variant="small">
      Recover
    </LinkButton>
  )
}
