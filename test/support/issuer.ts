import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto'
import { startReceiver, type ReceivedRequest, type Receiver, type Reply } from './receiver.ts'

/** An issuer of identity tokens, as CI services run one. */
export interface Issuer {
  readonly url: string
  /** The requests for its documents. */
  readonly requests: Receiver['requests']
  /** Signs a token with the current key. Times are valid unless the claims say otherwise. */
  sign(claims: object): string
  /** Publishes a new key instead of the current one, which signs from now on. */
  rotateKey(): void
  /** Decides the replies from now on. `undefined`: the documents. */
  respondWith(reply: Reply | undefined): void
  close(): Promise<void>
}

/**
 * Starts an issuer on loopback.
 *
 * @param respond - responds to other requests than those for its documents.
 */
export async function startIssuer(
  respond: (request: ReceivedRequest) => Reply | undefined = () => undefined,
): Promise<Issuer> {
  let key = makeKey()
  let fixed: Reply | undefined
  const receiver = await startReceiver({
    respond: (request) =>
      fixed ?? respond(request) ?? { status: 200, body: JSON.stringify(documents()[request.path]) },
  })
  const url = receiver.url.slice(0, -1)
  const documents = (): Record<string, unknown> => ({
    '/.well-known/openid-configuration': { issuer: url, jwks_uri: `${url}/keys` },
    '/keys': { keys: [{ ...key.published, kid: key.id, alg: 'RS256', use: 'sig' }] },
  })
  return {
    url,
    requests: receiver.requests,
    sign: (claims) => signToken(key, { iss: url, ...timesNow(), ...claims }),
    rotateKey: () => void (key = makeKey()),
    respondWith: (reply) => void (fixed = reply),
    close: () => receiver.close(),
  }
}

interface SigningKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly published: object
}

function makeKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return { id: randomUUID(), privateKey, published: publicKey.export({ format: 'jwk' }) }
}

function timesNow() {
  const now = Math.floor(Date.now() / 1_000)
  return { iat: now, exp: now + 300, jti: randomUUID(), sub: 'repo:acme/site:ref:refs/heads/main' }
}

function signToken({ id, privateKey }: SigningKey, claims: object): string {
  const parts = [{ alg: 'RS256', kid: id, typ: 'JWT' }, claims]
  const content = parts
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`
}
