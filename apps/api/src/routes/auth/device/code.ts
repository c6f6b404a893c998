import { Type } from 'typebox'
import { startDeviceLogin } from '../../../use-cases/device-login.ts'
import { openRoute } from '../../public-route.ts'
import { strictObject } from '../../schemas.ts'

const text = Type.String()

export const startDeviceLoginRoute = openRoute({
  operation: 'auth.device.code',
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
  answers: {
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
