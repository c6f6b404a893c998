import { addressGroup, Problem } from '@hosting/core'
import {
  approveDeviceRequest,
  getDeviceRequest,
  refuseDeviceRequest,
  type DeviceRequestRecord,
} from '../../endpoints.ts'
import { page, type Done, type SignedInVisit } from '../../page.ts'
import { Form, Submit } from '../../view/form.tsx'
import { Alert, Card, Facts, Head, LinkButton } from '../../view/parts.tsx'
import { RefusedAction } from '../../view/refused-action.tsx'
import { Time } from '../../view/time.tsx'
import { DeviceResult } from './result.tsx'

/** Where a request is looked at and decided, and what became of it. It is shown anew after each step-up. */
export const deviceReviewPage = page({
  path: '/device/review',
  access: 'session',
  keepsHandOver: true,
  async show(visit) {
    const userCode = visit.form.text('user_code') ?? visit.handedOver
    const request = userCode === undefined ? undefined : await findRequest(visit, userCode)
    return {
      title: 'Connect a device',
      body:
        userCode === undefined || !request ? (
          <Lost />
        ) : request.status === 'pending' ? (
          <Review visit={visit} request={request} userCode={userCode} />
        ) : (
          <>
            <RefusedAction />
            <DeviceResult request={request} />
          </>
        ),
    }
  },
  actions: {
    approve_read_only: (visit) => decide(visit, 'read_only'),
    approve_full: (visit) => decide(visit, 'full'),
    refuse: (visit) => decide(visit, undefined),
  },
})

/** Decides on the request that the page showed, which another tab may not change. */
async function decide(
  { call, form }: SignedInVisit,
  access: 'full' | 'read_only' | undefined,
): Promise<Done> {
  const userCode = form.text('user_code') ?? ''
  const place = { params: { user_code: userCode } }
  if (access) await call(approveDeviceRequest, { ...place, body: { access } })
  else await call(refuseDeviceRequest, place)
  return { to: '/device/review', handOver: { text: userCode, seconds: 600 } }
}

async function findRequest(
  { call }: SignedInVisit,
  userCode: string,
): Promise<DeviceRequestRecord | undefined> {
  try {
    return (await call(getDeviceRequest, { params: { user_code: userCode } })).request
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined
    throw error
  }
}

const Lost = () => (
  <>
    <Head title="There is no request here any more">
      It may have expired: a code is good for ten minutes.
    </Head>
    <div class="buttons">
      <LinkButton to="/device" look="primary">
        Enter a code
      </LinkButton>
    </div>
  </>
)

function Review({
  visit,
  request,
  userCode,
}: {
  visit: SignedInVisit
  request: DeviceRequestRecord
  userCode: string
}) {
  const { user, tenant } = visit.caller
  return (
    <>
      <Head title="A program wants to work as you">
        Approve it only if you started it yourself, just now.
      </Head>
      <RefusedAction />
      <Card title="Does your terminal show this code?">
        <p class="user-code">
          <span aria-hidden="true">{userCode}</span>
          <span class="visually-hidden">{spelled(userCode)}</span>
        </p>
      </Card>
      <Card title="Who asks">
        <Facts items={factsOf(request, visit.ip)} />
      </Card>
      <Card title="What it gets">
        <Facts
          items={[
            [
              'It works as',
              <>
                <bdi>{user.name}</bdi>
                {user.email !== null && ` (${user.email})`} in <bdi>{tenant.name}</bdi>
              </>,
            ],
            ['Read only', 'It sees what you see, and changes nothing.'],
            ['Full access', 'It may also create, change, delete and send, as you may.'],
            [
              'Never',
              'Your password, your authenticator, your sessions, and approving other programs.',
            ],
            ['How long', '90 days. You can revoke it under API keys at any time.'],
          ]}
        />
      </Card>
      <Decision userCode={userCode} />
      <Alert tone="warn" title="Did somebody send you this link or code?">
        Then refuse. We never send codes.
      </Alert>
    </>
  )
}

const factsOf = (
  { client_name, user_agent, ip, created_at, expires_at }: DeviceRequestRecord,
  own: string,
) =>
  [
    [
      'It calls itself',
      <>
        <strong>
          <bdi>{client_name}</bdi>
        </strong>
        <span class="under">Not verified: a program may call itself anything.</span>
      </>,
    ],
    ['Program', user_agent === '' ? 'It does not say' : <bdi>{user_agent}</bdi>],
    [
      'Address',
      <>
        <span class="mono">{ip}</span>
        <span class="under">
          {addressGroup(ip) === addressGroup(own)
            ? 'The same network as this browser.'
            : 'A different network than this browser. That is usual for a server, and for nothing on your desk.'}
        </span>
      </>,
    ],
    ['Asked', <Time at={created_at} />],
    ['Expires', <Time at={expires_at} />],
  ] as const

/** Three buttons of equal weight: none is more inviting than another. */
const Decision = ({ userCode }: { userCode: string }) => (
  <div class="equal">
    {(
      [
        ['refuse', 'Refuse'],
        ['approve_read_only', 'Approve read only'],
        ['approve_full', 'Approve full access'],
      ] as const
    ).map(([action, label]) => (
      <Form key={action} action={action} to="/device/review" plain>
        <input type="hidden" name="user_code" value={userCode} />
        <Submit look="wide">{label}</Submit>
      </Form>
    ))}
  </div>
)

/** Letter by letter, as a screen reader should say it. */
const spelled = (code: string): string => code.split('').join(' ').replace('-', 'dash')
