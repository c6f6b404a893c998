import {
  clientNameLengthMax,
  deviceKeyLifetimeDays,
  devicePendingMax,
  deviceStartsPerMinute,
  wrongUserCodesMax,
  wrongUserCodeWindowMs,
} from '@hosting/core/device-login'
import { Type } from 'typebox'
import { change, customChange, read } from './define-route.ts'
import { anyText } from '../schemas/validation.ts'
import {
  approveDeviceLogin,
  denyDeviceLogin,
  showDeviceLogin,
} from '../use-cases/device-login-approval.ts'
import { pollDeviceLogin, startDeviceLogin } from '../use-cases/device-login.ts'
import { keyAccounts } from '../schemas/api-key.ts'
import {
  component,
  described,
  emptyBody,
  strictObject,
  text,
  time,
  wordOf,
  type RecordOf,
} from '../schemas/common.ts'
import { deviceCodes, deviceKey } from '../schemas/oauth.ts'

const startDeviceLoginRoute = change({
  operationId: 'auth.device.code',
  method: 'POST',
  path: '/auth/device/code',
  summary: 'Start a device login',
  description: `For command-line clients (RFC 8628). Show the person the code and the URL, then poll. An IPv4 address or IPv6 /64 may start ${deviceStartsPerMinute} device logins per minute and have ${devicePendingMax} pending.`,
  auth: 'none',
  errorFormat: 'device',
  body: strictObject({
    client_name: Type.String({
      format: 'client-name',
      description: `Shown to the person and used as the name of the key. 1 to ${clientNameLengthMax} characters after trimming, at least one of them visible, without control, format or invisible characters.`,
    }),
  }),
  returns: {
    status: 200,
    description: 'The codes. They are returned only once.',
    schema: deviceCodes,
  },
  problems: ['rate_limited'],
  handle: ({ body, ip, userAgent, work }, services) =>
    startDeviceLogin(services, { clientName: body.client_name, ip, userAgent, work }),
})

const pollDeviceLoginRoute = customChange({
  operationId: 'auth.device.token',
  method: 'POST',
  path: '/auth/device/token',
  summary: 'Poll a device login',
  description:
    'After approval, one poll returns the key. Before and afterwards the response is 400 with a code from RFC 8628, section 3.5, in `code` and in `error`.',
  auth: 'none',
  errorFormat: 'device',
  body: strictObject({ device_code: anyText('The `device_code` of the start.') }),
  returns: {
    status: 200,
    description: 'The key and its token, which is returned only once.',
    schema: strictObject({
      token: text('The full token of the key. It is returned only once.'),
      ...deviceKey,
    }),
  },
  problems: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token'],
  handle: ({ body, ip, requestId }, services) =>
    pollDeviceLogin(services, { deviceCode: body.device_code, ip, requestId }),
})

const path = '/auth/device/requests/:user_code'

const params = strictObject({
  user_code: text('The user code that the client shows. Case, spaces and dashes are ignored.'),
})

const requestResponse = component('DeviceRequestResult', {
  request: described(
    component('DeviceRequest', {
      client_name: text('The name that the client gave itself. It is not verified.'),
      ip: text('The client address that started the device login.'),
      user_agent: text('The `User-Agent` of the client; empty if it sent none.'),
      created_at: time('When the device login was started.'),
      expires_at: time('When the codes expire.'),
      status: wordOf(
        ['pending', 'approved', 'denied', 'delivered', 'expired'],
        '`pending` until someone decides. `approved` until the client has received the key, then `delivered`.',
      ),
      scopes: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'The scopes to which the client limits the key, whatever access is approved. Missing if it requests no limit.',
        }),
      ),
    }),
    'The device login.',
  ),
})

/** A device login as its approver sees it. */
export type DeviceLoginRecord = RecordOf<typeof requestResponse>['request']

export const getDeviceLoginRoute = read({
  operationId: 'auth.device.requests.get',
  path,
  summary: 'Get a pending device login',
  description: `After ${wrongUserCodesMax} wrong codes within ${wrongUserCodeWindowMs / 60_000} minutes, every code gets 429.`,
  auth: 'session',
  params,
  returns: { status: 200, description: 'The device login.', schema: requestResponse },
  problems: [],
  handle: ({ caller, params: { user_code } }, services) =>
    showDeviceLogin(services, { caller, userCode: user_code }),
})

export const approveDeviceLoginRoute = change({
  operationId: 'auth.device.requests.approve',
  method: 'POST',
  path: `${path}/approve`,
  summary: 'Approve a device login',
  description: `The client receives a personal key of the caller, valid for ${deviceKeyLifetimeDays} days, or for the maximum lifetime of the key policy if that is less, with the scopes \`["*"]\` or \`["*:read"]\`, limited to \`accounts\` if any are given.`,
  auth: { session: 'apikeys.create' },
  confirmed: true,
  refusesImpersonation: true,
  params,
  body: strictObject({
    access: wordOf(
      ['full', 'read_only'],
      'What the key may do: `full` for the scope `*`, `read_only` for `*:read`.',
    ),
    accounts: Type.Optional(keyAccounts),
  }),
  returns: { status: 200, description: 'The approved device login.', schema: requestResponse },
  problems: ['conflict', 'api_key_policy_violation', 'api_key_limit_reached'],
  handle: (request, services) =>
    approveDeviceLogin(services, request, {
      userCode: request.params.user_code,
      ...request.body,
    }),
})

export const denyDeviceLoginRoute = change({
  operationId: 'auth.device.requests.refuse',
  method: 'POST',
  path: `${path}/refuse`,
  summary: 'Deny a device login',
  description: 'The client gets `access_denied` from its next poll on. No key is created.',
  auth: 'session',
  params,
  body: emptyBody,
  returns: { status: 200, description: 'The denied device login.', schema: requestResponse },
  problems: ['conflict'],
  handle: (request, services) => denyDeviceLogin(services, request, request.params.user_code),
})

/** The device login (RFC 8628). */
export const deviceLoginRoutes = [
  startDeviceLoginRoute,
  pollDeviceLoginRoute,
  getDeviceLoginRoute,
  approveDeviceLoginRoute,
  denyDeviceLoginRoute,
]
