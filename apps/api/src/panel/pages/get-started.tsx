import { endpointName } from '@hosting/core/webhooks'
import { hasSecondFactor } from '../../api/for-pages.ts'
import type { ComponentChildren } from 'preact'
import type { EndpointRecord } from '../../api/schemas/endpoint.ts'
import { listKeysRoute } from '../../api/routes/api-keys.ts'
import { grantsOf } from '../grants-of.ts'
import type { SignedInRequest } from '../page.ts'
import { Card } from '../view/components.tsx'
import { usePage } from '../view/context.ts'
import { Icon, type IconName } from '../view/icon.tsx'

/** Which of the first steps are done. Those that the person may not take are missing. */
interface FirstSteps {
  readonly key?: boolean
  readonly endpoint?: boolean
  /** Whether an event has arrived at an endpoint. */
  readonly event?: boolean
  readonly commandLine?: boolean
  readonly secondFactor: boolean
  /** The endpoint that waits for its first event. */
  readonly waiting?: EndpointRecord | undefined
}

/** Of this many keys, those of the command line are found. */
const keysMax = '100'

/** Reads which of the first steps are done. */
export async function readFirstSteps(
  { call, caller, services }: Pick<SignedInRequest, 'call' | 'caller' | 'services'>,
  endpoints: readonly EndpointRecord[],
): Promise<FirstSteps> {
  const may = grantsOf(caller)
  const keys = may('apikeys.create')
    ? (await call(listKeysRoute, { query: { revoked: 'false', limit: keysMax } })).items
    : undefined
  const hasArrived = endpoints.some(({ last_success_at: at }) => at !== null)
  return {
    ...(keys && {
      key: keys.length > 0,
      commandLine: keys.some(({ source }) => source === 'device'),
    }),
    ...(may('webhooks.manage') && {
      endpoint: endpoints.length > 0,
      event: hasArrived,
      waiting: hasArrived ? undefined : endpoints.find(({ enabled }) => enabled),
    }),
    secondFactor: await hasSecondFactor(services.database.prisma, caller.user.id),
  }
}

/** The first steps, ticked as they are done, until all are but the command line, which not everybody uses. */
export function GetStarted({ steps }: { steps: FirstSteps }) {
  const { brand } = usePage()
  const { key, endpoint, event, commandLine, secondFactor, waiting } = steps
  if ([key, endpoint, event, secondFactor].every((isDone) => isDone !== false)) return null
  return (
    <Card title="Get started">
      <ul class="steps">
        <Step icon="key" to="/keys/new" title="Create an API key" isDone={key}>
          For one of your programs, with only the scopes that it needs.
        </Step>
        <Step icon="endpoint" to="/webhooks/new" title="Add a webhook endpoint" isDone={endpoint}>
          Receive events about sites, backups and jobs as they happen.
        </Step>
        <Step
          icon="event"
          to={waiting ? `/webhooks/${waiting.id}` : '/webhooks'}
          title="Receive your first event"
          isDone={event}
        >
          {waiting ? (
            <>
              Waiting for the first event of <bdi>{endpointName(waiting)}</bdi>. You can send a test
              event.
            </>
          ) : (
            'The endpoint shows whether it has arrived.'
          )}
        </Step>
        <Step icon="terminal" to="/device" title="Connect the command line" isDone={commandLine}>
          Optional: run <code>{brand.command} login</code> and enter the code that it shows.
        </Step>
        <Step icon="shield" to="/security" title="Secure your account" isDone={secondFactor}>
          Turn on two-factor authentication and review your sessions.
        </Step>
      </ul>
      <p class="small quiet">
        You can also do all of this with the API and on the command line: see the{' '}
        <a href="/docs/api">API reference</a> and{' '}
        <a href="/docs/cli#install">install {brand.command}</a>.
      </p>
    </Card>
  )
}

/** A step, unless the person may not take it. */
const Step = ({
  icon,
  to,
  title,
  isDone,
  children,
}: {
  icon: IconName
  to: string
  title: string
  isDone: boolean | undefined
  children: ComponentChildren
}) =>
  isDone === undefined ? null : (
    <li class={isDone ? 'done' : undefined}>
      <Icon name={isDone ? 'check' : icon} />
      <div>
        <a class="standalone" href={to}>
          {title}
        </a>
        {isDone ? (
          <span class="visually-hidden">, done</span>
        ) : (
          <span class="under">{children}</span>
        )}
      </div>
    </li>
  )
