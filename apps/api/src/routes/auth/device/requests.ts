import { Type } from 'typebox'
import {
  approveDeviceRequest,
  refuseDeviceRequest,
  showDeviceRequest,
} from '../../../use-cases/device-login-decisions.ts'
import { sessionRoute } from '../../public-route.ts'
import { emptyBody, strictObject, time } from '../../schemas.ts'

const text = Type.String()
const path = '/auth/device/requests/:user_code'

const params = strictObject({
  user_code: Type.String({ description: 'Case, spaces and dashes are ignored.' }),
})

const requestAnswer = strictObject({
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
  operation: 'auth.device.requests.get',
  method: 'GET',
  path,
  summary: 'Get a pending device login',
  description: 'After five wrong codes within ten minutes, every code gets 429.',
  auth: 'session',
  params,
  answers: { 200: { description: 'The device login.', schema: requestAnswer } },
  problems: [],
  handle: ({ caller, params: { user_code } }, services) =>
    showDeviceRequest(services, { caller, userCode: user_code }),
})

export const approveDeviceRequestRoute = sessionRoute({
  operation: 'auth.device.requests.approve',
  method: 'POST',
  path: `${path}/approve`,
  summary: 'Approve a device login',
  description:
    'The client receives a personal key of the caller, valid for 90 days, with the scopes `["*"]` or `["*:read"]`.',
  auth: 'apikeys.create',
  confirmed: true,
  refusesImpersonation: true,
  changes: true,
  params,
  body: strictObject({
    access: Type.Unsafe<'full' | 'read_only'>({ type: 'string', enum: ['full', 'read_only'] }),
  }),
  answers: { 200: { description: 'The approved device login.', schema: requestAnswer } },
  problems: ['conflict'],
  handle: (request, services) =>
    approveDeviceRequest(services, request, {
      userCode: request.params.user_code,
      access: request.body.access,
    }),
})

export const refuseDeviceRequestRoute = sessionRoute({
  operation: 'auth.device.requests.refuse',
  method: 'POST',
  path: `${path}/refuse`,
  summary: 'Deny a device login',
  auth: 'session',
  changes: true,
  params,
  body: emptyBody,
  answers: { 200: { description: 'The denied device login.', schema: requestAnswer } },
  problems: ['conflict'],
  handle: (request, services) => refuseDeviceRequest(services, request, request.params.user_code),
})
