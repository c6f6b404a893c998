import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { expect } from '@jest/globals'
import type { Response } from 'supertest'
import type { TestApi } from '../../../../test/support/api.ts'
import { callWith, type TestSession } from '../../../../test/support/session.ts'
import { freshAddress } from './addresses.ts'
import { Authenticator, publicUrl, type Claims } from './authenticator.ts'

/** The configuration of an API whose passkeys are tested, and whose clients say where they come from. */
export const withPasskeys = { PUBLIC_URL: publicUrl, TRUSTED_PROXIES: '127.0.0.0/8' }

type Session = Pick<TestSession, 'cookie' | 'csrfToken'>

/** The options for a sign-in or a confirmation, for an address of their own. */
export async function requestOptions(
  api: TestApi,
  ip = freshAddress(),
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const headers = { 'x-forwarded-for': ip }
  const { status, body } = await api.call('post', '/auth/session/passkey-options', { headers })
  expect(status).toBe(200)
  return body.options as PublicKeyCredentialRequestOptionsJSON
}

/** The options for a new passkey of the session's person. */
export async function creationOptions(
  api: TestApi,
  session: Session,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { status, body } = await callWith(api, session)('post', '/auth/factors/passkeys/options')
  expect(status).toBe(200)
  return body.options as PublicKeyCredentialCreationOptionsJSON
}

/** Adds the passkey of an authenticator to the account of the session's person. Returns its id. */
export async function addPasskey(
  api: TestApi,
  session: Session,
  authenticator = new Authenticator(),
  name = 'Laptop',
): Promise<string> {
  const credential = authenticator.create(await creationOptions(api, session))
  const body = { name, credential }
  const response = await callWith(api, session)('post', '/auth/factors/passkeys', { body })
  expect(response.status).toBe(201)
  return response.body.passkey.id as string
}

/** Signs in with a passkey, from an address of its own. */
export async function signInByPasskey(
  api: TestApi,
  authenticator: Authenticator,
  claims: Claims = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const passkey = authenticator.get(await requestOptions(api), claims)
  return sendPasskey(api, passkey, headers)
}

/** Sends the response of an authenticator as a sign-in. */
export const sendPasskey = (
  api: TestApi,
  passkey: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  api.call('post', '/auth/session', {
    body: { passkey },
    headers: { 'x-forwarded-for': freshAddress(), ...headers },
  })
