import { keyNameLengthMax } from '@hosting/core/api-keys'
import { passkeysMax } from '@hosting/core/sessions'
import { listPasskeys, type PasskeyRow } from '@hosting/postgres/sessions'
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { Type } from 'typebox'
import { change, read } from './define-route.ts'
import { chargeChallenge, passkeyRequestOptions } from '../use-cases/passkey-verification.ts'
import {
  addPasskey,
  passkeyCreationOptions,
  removePasskey,
  verifyCredential,
} from '../use-cases/passkeys.ts'
import { listById, listQuery, listResponse, readPage } from './list.ts'
import {
  component,
  described,
  emptyBody,
  idParams,
  nullable,
  strictObject,
  text,
  time,
  uuid,
  type RecordOf,
} from '../schemas/common.ts'
import { registrationResponse } from '../schemas/credentials.ts'

/** A passkey as the API returns it. */
const toPasskeyRecord = (row: PasskeyRow) => ({
  id: row.id,
  name: row.name,
  created_at: row.createdAt,
  last_used_at: row.lastUsedAt,
  backed_up: row.isBackedUp,
})

export const passkeyOptionsRoute = change({
  operationId: 'auth.session.passkey-options',
  method: 'POST',
  path: '/auth/session/passkey-options',
  summary: 'Get the options for a passkey',
  description:
    'For a sign-in or a confirmation. The options are valid once, for 5 minutes, and name no credentials. An IPv4 address or IPv6 /64 gets 10 per minute. If the host of the public URL is an IP address, passkeys are not available: 409.',
  auth: 'none',
  body: emptyBody,
  returns: {
    status: 200,
    description: 'The options.',
    schema: strictObject({
      options: Type.Unsafe<PublicKeyCredentialRequestOptionsJSON>({
        type: 'object',
        description:
          'A `PublicKeyCredentialRequestOptionsJSON` for `PublicKeyCredential.parseRequestOptionsFromJSON` (WebAuthn Level 3).',
      }),
    }),
  },
  problems: ['rate_limited', 'conflict'],
  async handle({ ip, work }, services) {
    const options = await passkeyRequestOptions(services)
    await chargeChallenge(work, ip)
    return { options }
  },
})

const passkeyRecord = component('Passkey', {
  id: uuid('The id of the passkey.'),
  name: text('The name of the passkey.'),
  created_at: time('When the passkey was added.'),
  last_used_at: nullable(time('When the passkey was last used. Null if it was not used yet.')),
  backed_up: Type.Boolean({
    description:
      'Whether the provider of the passkey keeps a copy of it, for other devices of the person.',
  }),
})

/** A passkey as the API returns it. */
export type PasskeyRecord = RecordOf<typeof passkeyRecord>

/** What all changes of passkeys have in common. */
const ofFactors = {
  auth: 'session',
  withoutSecondFactor: 'first',
  confirmed: true,
  ignoresIdempotencyKey: true,
} as const

export const listPasskeysRoute = read({
  operationId: 'auth.passkeys.list',
  path: '/auth/factors/passkeys',
  summary: 'List your passkeys',
  description: 'Newest first. While impersonating, those of the impersonated user.',
  auth: 'session',
  withoutSecondFactor: true,
  query: strictObject(listQuery),
  returns: { status: 200, description: 'A page of passkeys.', schema: listResponse(passkeyRecord) },
  problems: [],
  handle: ({ caller, query }, services) =>
    readPage(
      services,
      { list: listById('passkeys'), query },
      {
        read: (page) => listPasskeys(services.database.prisma, caller.user.id, page),
        toItems: (rows) => rows.map(toPasskeyRecord),
      },
    ),
})

const passkeyCreationOptionsRoute = change({
  ...ofFactors,
  operationId: 'auth.passkeys.options',
  method: 'POST',
  path: '/auth/factors/passkeys/options',
  summary: 'Get the options for a new passkey',
  description: `The options are valid once, for 5 minutes. A person can have ${passkeysMax} passkeys.`,
  refusesImpersonation: true,
  body: emptyBody,
  returns: {
    status: 200,
    description: 'The options.',
    schema: strictObject({
      options: Type.Unsafe<PublicKeyCredentialCreationOptionsJSON>({
        type: 'object',
        description:
          'A `PublicKeyCredentialCreationOptionsJSON` for `PublicKeyCredential.parseCreationOptionsFromJSON` (WebAuthn Level 3).',
      }),
    }),
  },
  problems: ['conflict'],
  async handle({ caller }, services) {
    return { options: await passkeyCreationOptions(services, caller) }
  },
})

export const createPasskeyRoute = change({
  ...ofFactors,
  operationId: 'auth.passkeys.create',
  method: 'POST',
  path: '/auth/factors/passkeys',
  summary: 'Add a passkey',
  description:
    'From then on, the passkey signs you in and confirms your identity, in place of the password and the code. The password keeps working.',
  refusesImpersonation: true,
  body: strictObject({
    name: Type.String({
      minLength: 1,
      maxLength: keyNameLengthMax,
      format: 'visible-text',
      description: `A name to recognize the passkey by, 1 to ${keyNameLengthMax} characters.`,
    }),
    credential: described(
      registrationResponse,
      'The `RegistrationResponseJSON` of the browser: `toJSON()` of the new credential.',
    ),
  }),
  returns: {
    status: 201,
    description: 'The passkey.',
    schema: strictObject({ passkey: described(passkeyRecord, 'The passkey.') }),
  },
  problems: ['conflict'],
  prepare: ({ caller, body }, services) => verifyCredential(services, caller, body.credential),
  async handle(request) {
    const row = await addPasskey(request, request.body.name, request.prepared)
    return { passkey: toPasskeyRecord(row) }
  },
})

export const removePasskeyRoute = change({
  ...ofFactors,
  operationId: 'auth.passkeys.remove',
  method: 'DELETE',
  path: '/auth/factors/passkeys/:id',
  summary: 'Remove a passkey',
  description:
    'Takes effect immediately. The last second factor cannot be removed while the organization requires one.',
  refusesImpersonation: true,
  params: idParams('passkey'),
  returns: { status: 204, description: 'The passkey is removed.' },
  problems: ['conflict'],
  handle: (request) => removePasskey(request, request.params.id),
})

/** Passkeys. */
export const passkeyRoutes = [
  passkeyOptionsRoute,
  listPasskeysRoute,
  passkeyCreationOptionsRoute,
  createPasskeyRoute,
  removePasskeyRoute,
]
