import { Type } from 'typebox'
import { startDeviceLogin } from '../../../operations/device-login.ts'
import { openRoute } from '../../public-route.ts'
import { strictObject } from '../../schemas.ts'

const text = Type.String()

export const startDeviceLoginRoute = openRoute({
  operation: 'auth.device.code',
  method: 'POST',
  path: '/auth/device/code',
  summary: 'Start a device login',
  description:
    'For a command-line client (RFC 8628): show the person the code and the address, and poll. An IPv4 address or IPv6 /64 may start 10 in any minute, and have 5 undecided.',
  auth: 'none',
  changes: true,
  codeAsError: true,
  body: strictObject({
    client_name: Type.String({
      format: 'client-name',
      description:
        'What the person is shown, and the key is named after: 1 to 64 characters after trimming, at least one of them visible, and no control, format or invisible characters.',
    }),
  }),
  answers: {
    200: {
      description: 'The codes. They are shown here alone.',
      schema: strictObject({
        device_code: text,
        user_code: text,
        verification_uri: text,
        verification_uri_complete: text,
        expires_in: Type.Integer({ description: 'In seconds.' }),
        interval: Type.Integer({ description: 'Between polls, in seconds.' }),
      }),
    },
  },
  problems: ['rate_limited'],
  handle: ({ body, ip, userAgent, work }, services) =>
    startDeviceLogin(services, { clientName: body.client_name, ip, userAgent, work }),
})
