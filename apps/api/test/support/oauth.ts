import { oauthBase, oauthRoutes } from '@hosting/api'
import request, { type Response } from 'supertest'
import type { TestApi } from '../../../../test/support/api.ts'
import { requireValidResponse } from '../../../../test/support/response-schemas.ts'
import { freshAddress } from './addresses.ts'
import type { StartedLogin } from './device.ts'

/** The fields of a form: a repeated field has several values. */
export type Fields = Readonly<Record<string, string | readonly string[]>>

export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** Sends a form as a standard client does. Checks the response against the schemas of the route. */
export async function sendForm(
  api: Pick<TestApi, 'url'>,
  path: string,
  fields: Fields | string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await request(api.url)
    .post(oauthBase + path)
    .set({
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': freshAddress(),
      ...headers,
    })
    .send(typeof fields === 'string' ? fields : formOf(fields))
  requireValidResponse(oauthRoutes, { verb: 'post', path }, response)
  return response
}

const formOf = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => [value].flat().map((each) => [name, each])),
  ).toString()

/** The `Authorization` header of a client with a password. */
export const basic = (user: string, password = ''): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/** Starts a device login as a standard client does. */
export async function startOAuthLogin(
  api: Pick<TestApi, 'url'>,
  fields: Fields = { client_id: 'laptop' },
): Promise<StartedLogin> {
  const response = await sendForm(api, '/device_authorization', fields)
  if (response.status !== 200) throw new Error(`No login was started: ${response.text}`)
  return response.body as StartedLogin
}

/** Polls a device login as a standard client does. */
export const pollOAuth = (
  api: Pick<TestApi, 'url'>,
  { device_code }: Pick<StartedLogin, 'device_code'>,
  fields: Fields = {},
  headers: Record<string, string> = {},
): Promise<Response> =>
  sendForm(
    api,
    '/token',
    { grant_type: deviceCodeGrant, device_code, client_id: 'laptop', ...fields },
    headers,
  )

/** What a standard client reads of an error. */
export const errorOf = ({ status, body, headers }: Response) => ({
  status,
  error: body.error as string,
  type: headers['content-type'],
})

/** The error that a standard client reads. */
export const oauthError = (status: number, error: string) => ({
  status,
  error,
  type: 'application/json',
})
