import { Type } from 'typebox'
import { anyText } from '../http/validation.ts'
import {
  approveDeviceRequest,
  refuseDeviceRequest,
  showDeviceRequest,
} from '../use-cases/device-login-decisions.ts'
import { pollDeviceLogin } from '../use-cases/device-login-poll.ts'
import { startDeviceLogin } from '../use-cases/device-login.ts'
import { openRoute, sessionRoute } from './public-route.ts'
import { emptyBody, keyAccounts, keyRecord, nullable, strictObject, time, uuid } from './schemas.ts'

const text = Type.String()

const startDeviceLoginRoute = openRoute({
  operationId: 'auth.device.code',
  method: 'POST',
  path: '/auth/device/code',
  summary: 'Start a device login',
  description:
    'For command-line clients (RFC 8628). Show the person the code and the URL, then poll. An IPv4 address or IPv6 /64 may start 10 device logins per minute and have 5 pending.',
  auth: 'none',
  changes: true,
  codeAsError: true,
  body: strictObject({
    client_name: Type.String({
      format: 'client-name',
      description:
        'Shown to the person and used as the name of the key. 1 to 64 characters after trimming, at least one of them visible, without control, format or invisible characters.',
    }),
  }),
  responses: {
    200: {
      description: 'The codes. They are returned only once.',
      schema: strictObject({
        device_code: text,
        user_code: text,
        verification_uri: text,
        verification_uri_complete: text,
        expires_in: Type.Integer({ description: 'Lifetime of the codes in seconds.' }),
        interval: Type.Integer({ description: 'Minimum time between polls in seconds.' }),
      }),
    },
  },
  problems: ['rate_limited'],
  handle: ({ body, ip, userAgent, work }, services) =>
    startDeviceLogin(services, { clientName: body.client_name, ip, userAgent, work }),
})

const pollDeviceLoginRoute = openRoute({
  operationId: 'auth.device.token',
  method: 'POST',
  path: '/auth/device/token',
  summary: 'Poll a device login',
  description:
    'After approval, one poll returns the key. Before and afterwards the response is 400 with a code from RFC 8628, section 3.5, in `code` and in `error`.',
  auth: 'none',
  codeAsError: true,
  body: strictObject({ device_code: anyText() }),
  responses: {
    200: {
      description: 'The key and its token, which is returned only once.',
      schema: strictObject({
        token: text,
        key: keyRecord,
        tenant: strictObject({ slug: text, name: text }),
        user: strictObject({
          id: uuid,
          name: text,
          email: nullable(text),
          kind: Type.String({ enum: ['human', 'service'] }),
        }),
      }),
    },
  },
  problems: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token'],
  handle: ({ body, ip, requestId }, services) =>
    pollDeviceLogin(services, { deviceCode: body.device_code, ip, requestId }),
})

const path = '/auth/device/requests/:user_code'

const params = strictObject({
  user_code: Type.String({ description: 'Case, spaces and dashes are ignored.' }),
})

const requestResponse = strictObject({
  request: strictObject({
    client_name: text,
    ip: text,
    user_agent: text,
    created_at: time,
    expires_at: time,
    status: Type.String({ enum: ['pending', 'approved', 'denied', 'delivered', 'expired'] }),
  }),
})

export const getDeviceRequestRoute = sessionRoute({
  operationId: 'auth.device.requests.get',
  method: 'GET',
  path,
  summary: 'Get a pending device login',
  description: 'After five wrong codes within ten minutes, every code gets 429.',
  auth: 'session',
  params,
  responses: { 200: { description: 'The device login.', schema: requestResponse } },
  problems: [],
  handle: ({ caller, params: { user_code } }, services) =>
    showDeviceRequest(services, { caller, userCode: user_code }),
})

export const approveDeviceRequestRoute = sessionRoute({
  operationId: 'auth.device.requests.approve',
  method: 'POST',
  path: `${path}/approve`,
  summary: 'Approve a device login',
  description:
    'The client receives a personal key of the caller, valid for 90 days, or for the maximum lifetime of the key policy if that is less, with the scopes `["*"]` or `["*:read"]`, limited to `accounts` if any are given.',
  auth: 'apikeys.create',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  params,
  body: strictObject({
    access: Type.Unsafe<'full' | 'read_only'>({ type: 'string', enum: ['full', 'read_only'] }),
    accounts: Type.Optional(keyAccounts),
  }),
  responses: { 200: { description: 'The approved device login.', schema: requestResponse } },
  problems: ['conflict', 'api_key_policy_violation', 'api_key_limit_reached'],
  handle: (request, services) =>
    approveDeviceRequest(services, request, {
      userCode: request.params.user_code,
      ...request.body,
    }),
})

export const refuseDeviceRequestRoute = sessionRoute({
  operationId: 'auth.device.requests.refuse',
  method: 'POST',
  path: `${path}/refuse`,
  summary: 'Deny a device login',
  auth: 'session',
  changes: true,
  params,
  body: emptyBody,
  responses: { 200: { description: 'The denied device login.', schema: requestResponse } },
  problems: ['conflict'],
  handle: (request, services) => refuseDeviceRequest(services, request, request.params.user_code),
})

/** The device login (RFC 8628). */
export const deviceLoginRoutes = [
  startDeviceLoginRoute,
  pollDeviceLoginRoute,
  getDeviceRequestRoute,
  approveDeviceRequestRoute,
  refuseDeviceRequestRoute,
]
