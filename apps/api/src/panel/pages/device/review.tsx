import { readUserCode } from '@hosting/core/device-login'
import { clientNetwork } from '@hosting/core/network'
import { Problem } from '@hosting/core/problems'
import {
  type DeviceLoginRecord,
  approveDeviceLoginRoute,
  getDeviceLoginRoute,
  denyDeviceLoginRoute,
} from '../../../api/routes/device-login.ts'
import { readAccountChoices, type AccountChoices } from '../../../api/for-pages.ts'
import { AccessCard, lifetimeOf } from './access.tsx'
import { readReviewedCode, toReview } from './code.tsx'
import { page, type Redirect, type SignedInRequest } from '../../page.ts'
import { TextField } from '../../view/fields.tsx'
import { Form, Submit, RefusedAction } from '../../view/form.tsx'
import { Alert, Card, DescriptionList, PageHeader, LinkButton } from '../../view/components.tsx'
import { Ago } from '../../view/time.tsx'
import { AccountPicker, readAccountIds } from '../account-picker.tsx'
import { DeviceResult } from './result.tsx'

/** Where a person reviews, approves or denies a device login, and sees the outcome. */
export const deviceReviewPage = page({
  path: '/device/review',
  access: 'session',
  keepsFlashSecret: true,
  async show(pageRequest) {
    const userCode =
      pageRequest.refused?.form.text('user_code') ??
      readReviewedCode(pageRequest.flashSecret)?.userCode
    const request = userCode === undefined ? undefined : await findRequest(pageRequest, userCode)
    return {
      title: 'Connect a device',
      body:
        userCode === undefined || !request ? (
          <RequestNotFound />
        ) : request.status === 'pending' ? (
          <Review
            pageRequest={pageRequest}
            request={request}
            userCode={userCode}
            choices={await choicesOf(pageRequest)}
            lifetime={await lifetimeOf(pageRequest)}
          />
        ) : (
          <>
            <RefusedAction />
            <DeviceResult request={request} />
          </>
        ),
    }
  },
  actions: {
    approve_read_only: (pageRequest) => decide(pageRequest, 'read_only'),
    approve_full: (pageRequest) => decide(pageRequest, 'full'),
    refuse: (pageRequest) => decide(pageRequest, undefined),
  },
})

/** Decides the request that the page showed, which may differ from the one in another tab. */
async function decide(
  pageRequest: SignedInRequest,
  access: 'full' | 'read_only' | undefined,
): Promise<Redirect> {
  const { call, form } = pageRequest
  const userCode = form.text('user_code') ?? ''
  const input = { params: { user_code: userCode } }
  const isTyped = access !== undefined && (await requireTyped(pageRequest, userCode))
  const body = { access, accounts: readAccountIds(form) ?? undefined }
  if (access) await call(approveDeviceLoginRoute, { ...input, body })
  else await call(denyDeviceLoginRoute, input)
  return toReview({ userCode, isTyped })
}

/**
 * Requires that the person has typed the code if another network requested it, so that a click on the link of an
 * attacker is not enough.
 *
 * @returns whether it was typed.
 * @throws Problem `validation_failed`
 */
async function requireTyped(pageRequest: SignedInRequest, userCode: string): Promise<boolean> {
  if (isTypedBefore(pageRequest, userCode)) return true
  const request = await findRequest(pageRequest, userCode)
  const isPending = request?.status === 'pending'
  if (!isPending || !isFromOtherNetwork(request, pageRequest)) return false
  if (readUserCode(pageRequest.form.text('typed_code') ?? '') === userCode) return true
  const message =
    'The typed code is not the code of this request. Type the code that your own terminal shows.'
  const errors = [{ pointer: '/typed_code', message }]
  throw new Problem('validation_failed', { detail: message, errors })
}

/** Whether the person typed this code on the page before, instead of following a link. */
function isTypedBefore({ flashSecret }: SignedInRequest, userCode: string): boolean {
  const reviewed = readReviewedCode(flashSecret)
  return reviewed?.userCode === userCode && reviewed.isTyped
}

const isFromOtherNetwork = ({ ip }: DeviceLoginRecord, own: Pick<SignedInRequest, 'ip'>): boolean =>
  clientNetwork(ip) !== clientNetwork(own.ip)

const choicesOf = ({ services, caller: { user, tenant } }: SignedInRequest) =>
  readAccountChoices(services, { id: user.id, tenantId: tenant.id, roles: user.roles })

async function findRequest(
  { call }: SignedInRequest,
  userCode: string,
): Promise<DeviceLoginRecord | undefined> {
  try {
    return (await call(getDeviceLoginRoute, { params: { user_code: userCode } })).request
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined
    throw error
  }
}

const RequestNotFound = () => (
  <>
    <PageHeader title="Request not found">
      It may have expired. A code is valid for 10 minutes.
    </PageHeader>
    <div class="buttons">
      <LinkButton to="/device" variant="primary">
        Enter a code
      </LinkButton>
    </div>
  </>
)

function Review({
  pageRequest,
  request,
  userCode,
  choices,
  lifetime,
}: {
  pageRequest: SignedInRequest
  request: DeviceLoginRecord
  userCode: string
  choices: AccountChoices
  lifetime: string
}) {
  const isOther = isFromOtherNetwork(request, pageRequest)
  const asksForCode = isOther && !isTypedBefore(pageRequest, userCode)
  return (
    <>
      <PageHeader title="Authorize this device?">
        Approve only if you started this login yourself, just now.
      </PageHeader>
      <RefusedAction />
      {isOther && <OtherNetwork requestedFrom={request.ip} own={pageRequest.ip} />}
      {!asksForCode && (
        <Card title="Check that your terminal shows this code">
          <p class="user-code">
            <span aria-hidden="true">{userCode}</span>
            <span class="visually-hidden">{spelled(userCode)}</span>
          </p>
        </Card>
      )}
      <Card title="Request">
        <DescriptionList items={detailsOf(request, pageRequest.ip)} />
      </Card>
      <AccessCard caller={pageRequest.caller} lifetime={lifetime} />
      <Decision
        userCode={userCode}
        asksForCode={asksForCode}
        choices={choices}
        chosen={(pageRequest.refused && readAccountIds(pageRequest.refused.form)) ?? []}
      />
      <Alert tone="warn" title="Did someone send you this link or code?">
        Deny the request. We never send codes.
      </Alert>
    </>
  )
}

const detailsOf = (
  { client_name, user_agent, ip, created_at, expires_at, scopes }: DeviceLoginRecord,
  own: string,
) =>
  [
    [
      'Name',
      <>
        <strong>
          <bdi>{client_name}</bdi>
        </strong>
        <span class="under">Not verified: chosen by the program itself.</span>
      </>,
    ],
    ...(scopes
      ? ([
          [
            'Requested scopes',
            <>
              <span class="mono">{scopes.join(', ')}</span>
              <span class="under">The key gets at most these, whatever you approve.</span>
            </>,
          ],
        ] as const)
      : []),
    ['User agent', user_agent === '' ? 'Unknown' : <bdi>{user_agent}</bdi>],
    [
      'IP address',
      <>
        <span class="mono">{ip}</span>
        <span class="under">
          {clientNetwork(ip) === clientNetwork(own)
            ? 'Same network as this browser.'
            : 'Different network than this browser.'}
        </span>
      </>,
    ],
    ['Requested', <Ago at={created_at} />],
    ['Expires', <Ago at={expires_at} />],
  ] as const

/** Three buttons of equal weight, so that none is more inviting than the others. Enter presses the first. */
const Decision = ({
  userCode,
  asksForCode,
  choices,
  chosen,
}: {
  userCode: string
  asksForCode: boolean
  choices: AccountChoices
  chosen: string[]
}) => (
  <Form action="refuse" to="/device/review" plain>
    <input type="hidden" name="user_code" value={userCode} />
    <div class="stack">
      {asksForCode && (
        <TextField
          name="typed_code"
          label="Code that your own terminal shows"
          hint="Required to approve, because the code was requested from another network."
          variant="code-input"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          maxlength={40}
          secret
        />
      )}
      <AccountPicker of="key" choices={choices} chosen={chosen} />
      <div class="equal">
        {(
          [
            ['refuse', 'Deny'],
            ['approve_read_only', 'Approve read-only access'],
            ['approve_full', 'Approve full access'],
          ] as const
        ).map(([action, label]) => (
          <Submit key={action} variant="wide" name="do" value={action}>
            {label}
          </Submit>
        ))}
      </div>
    </div>
  </Form>
)

/** The code spelled out for screen readers. */
const spelled = (code: string): string => code.split('').join(' ').replace('-', 'dash')

/** Warns that a code was requested from another network than that of the browser. */
const OtherNetwork = ({ requestedFrom, own }: { requestedFrom: string; own: string }) => (
  <Alert tone="bad" title="This code was requested from a different network" live>
    <p>
      The device is at <span class="mono">{requestedFrom}</span> (network{' '}
      <span class="mono">{clientNetwork(requestedFrom)}</span>). Your browser is at{' '}
      <span class="mono">{own}</span> (network <span class="mono">{clientNetwork(own)}</span>).
    </p>
    <p>
      This is normal if you started the login yourself on a remote server. If you did not start it,
      someone is trying to get access to your account: deny the request, do not type a code that
      somebody sent you, and tell an administrator.
    </p>
  </Alert>
)
