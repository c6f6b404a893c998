import { describe, expect, test } from '@jest/globals'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../../test/support/session.ts'
import { Authenticator } from '../../support/authenticator.ts'
import {
  creationOptions,
  requestOptions,
  sendPasskey,
  withPasskeys,
} from '../../support/passkeys.ts'

const api = useApi(withPasskeys)
const tenant = useTenant(api)

interface Credential {
  readonly response: object
}

const padded = (text: unknown) =>
  typeof text === 'string' ? Buffer.from(text, 'base64url').toString('base64') : text

const withPadding = ({ response, ...credential }: Record<string, unknown> & Credential) => ({
  ...credential,
  id: padded(credential['id']),
  rawId: padded(credential['rawId']),
  response: Object.fromEntries(
    Object.entries(response).map(([name, value]) => [name, padded(value)]),
  ),
})

const withResponse = (change: Record<string, unknown>) => (credential: Credential) => ({
  ...credential,
  response: { ...credential.response, ...change },
})

const withMembers = (change: Record<string, unknown>) => (credential: Credential) => ({
  ...credential,
  ...change,
})

describe('a passkey of a password manager', () => {
  test.each<[what: string, change: (credential: never) => unknown]>([
    ['without optional members', withMembers({ clientExtensionResults: undefined })],
    ['with an attachment of null', withMembers({ authenticatorAttachment: null })],
    ['with members of its own', withMembers({ manager: 'x', extensions: { prf: null } })],
    ['with padded base64', withPadding],
    ['with transports of null', withResponse({ transports: null })],
    ['without transports', withResponse({ transports: undefined })],
    ['with unknown transports', withResponse({ transports: ['cable', 'telepathy'] })],
    ['with a user handle of null', withResponse({ userHandle: null })],
    ['with an empty user handle', withResponse({ userHandle: '' })],
    ['without a user handle', withResponse({ userHandle: undefined })],
    ['with further response members', withResponse({ publicKeyAlgorithm: -7, publicKey: 'AA' })],
  ])('%s is added and signs in', async (_what, change) => {
    const ana = await makeSignedIn(api, tenant)
    const authenticator = new Authenticator({ counts: false })
    const credential = change(authenticator.create(await creationOptions(api, ana)) as never)
    const body = { name: 'Manager', credential }
    expect((await callWith(api, ana)('post', '/auth/factors/passkeys', { body })).status).toBe(201)
    const passkey = change(authenticator.get(await requestOptions(api)) as never)
    expect((await sendPasskey(api, passkey)).status).toBe(201)
  })

  test('with backup flags is shown as kept by its provider', async () => {
    const ana = await makeSignedIn(api, tenant)
    const authenticator = new Authenticator({ counts: false, isBackedUp: true })
    const credential = authenticator.create(await creationOptions(api, ana))
    const call = callWith(api, ana)
    const body = { name: 'Manager', credential }
    const added = await call('post', '/auth/factors/passkeys', { body })
    expect(added.body.passkey.backed_up).toBe(true)
    expect((await sendPasskey(api, authenticator.get(await requestOptions(api)))).status).toBe(201)
  })

  test("with another person's handle is refused", async () => {
    const ana = await makeSignedIn(api, tenant)
    const authenticator = new Authenticator({ counts: false })
    const credential = authenticator.create(await creationOptions(api, ana))
    await callWith(api, ana)('post', '/auth/factors/passkeys', { body: { name: 'x', credential } })
    const passkey = authenticator.get(await requestOptions(api), { userHandle: 'AAAA' })
    expect((await sendPasskey(api, passkey)).status).toBe(401)
  })
})
