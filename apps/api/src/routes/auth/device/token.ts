import { Type } from 'typebox'
import { anyText } from '../../../http/validation.ts'
import { pollDeviceLogin } from '../../../use-cases/device-login-poll.ts'
import { openRoute } from '../../public-route.ts'
import { keyRecord, nullable, strictObject, uuid } from '../../schemas.ts'

const text = Type.String()

export const pollDeviceLoginRoute = openRoute({
  operation: 'auth.device.token',
  method: 'POST',
  path: '/auth/device/token',
  summary: 'Poll a device login',
  description:
    'After approval, one poll returns the key. Before and afterwards the response is 400 with a code from RFC 8628, section 3.5, in `code` and in `error`.',
  auth: 'none',
  codeAsError: true,
  body: strictObject({ device_code: anyText() }),
  answers: {
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
