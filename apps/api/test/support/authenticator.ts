import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

/** What a response of an authenticator claims, besides what is right. */
export interface Claims {
  readonly origin?: string
  readonly rpId?: string
  /** The signature counter. Default: one more than the last; 0 if the authenticator does not count. */
  readonly count?: number
  readonly isUserVerified?: boolean
  readonly type?: string
  readonly userHandle?: string
}

/** The public URL of services whose passkeys are tested. */
export const publicUrl = 'http://localhost:8080'

/** An authenticator with one credential (WebAuthn Level 3), in software. */
export class Authenticator {
  readonly id = randomBytes(16).toString('base64url')
  readonly #counts: boolean
  readonly #backupFlags: number
  #count = 0
  #userHandle = ''
  readonly #key: KeyObject
  readonly #cose: Map<number, number | Uint8Array>

  constructor({ counts = true, isBackedUp = false } = {}) {
    this.#counts = counts
    this.#backupFlags = isBackedUp ? 0x18 : 0
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = privateKey
    const { x, y } = publicKey.export({ format: 'jwk' })
    // EC2, ES256, P-256 (RFC 9053, section 7.1).
    this.#cose = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Uint8Array.from(Buffer.from(x!, 'base64url'))],
      [-3, Uint8Array.from(Buffer.from(y!, 'base64url'))],
    ])
  }

  /** Creates the credential. */
  create(
    options: PublicKeyCredentialCreationOptionsJSON,
    claims: Claims = {},
  ): RegistrationResponseJSON {
    this.#userHandle = options.user.id
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const authData = Buffer.concat([
      this.#dataOf({ rpId: options.rp.id!, ...claims }, 0x40),
      Buffer.alloc(16),
      length,
      id,
      isoCBOR.encode(this.#cose),
    ])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', Uint8Array.from(authData)],
    ])
    return {
      ...this.#credential,
      response: {
        clientDataJSON: clientDataOf('webauthn.create', options.challenge, claims),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  /** Signs in. */
  get(
    options: PublicKeyCredentialRequestOptionsJSON,
    claims: Claims = {},
  ): AuthenticationResponseJSON {
    const data = this.#dataOf({ rpId: options.rpId!, ...claims }, 0)
    const clientDataJSON = clientDataOf('webauthn.get', options.challenge, claims)
    const clientHash = createHash('sha256')
      .update(Buffer.from(clientDataJSON, 'base64url'))
      .digest()
    return {
      ...this.#credential,
      response: {
        clientDataJSON,
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, clientHash]), this.#key).toString(
          'base64url',
        ),
        userHandle: claims.userHandle ?? this.#userHandle,
      },
    }
  }

  get #credential() {
    const { id } = this
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} }
  }

  #dataOf({ rpId, count, isUserVerified = true }: Claims, flags: number): Buffer {
    this.#count = count ?? (this.#counts ? this.#count + 1 : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.#count)
    const rpIdHash = createHash('sha256').update(rpId!).digest()
    return Buffer.concat([
      rpIdHash,
      Buffer.from([flags | 0x01 | (isUserVerified ? 0x04 : 0) | this.#backupFlags]),
      counter,
    ])
  }
}

const clientDataOf = (
  usual: string,
  challenge: string,
  { origin = publicUrl, type = usual }: Claims,
): string =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url')
