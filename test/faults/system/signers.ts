import { createHmac } from 'node:crypto'

/** The signing secrets that the service returned, by name. */
export interface Signers {
  addSecret(endpoint: string, name: string, secret: string): void
  /** Remembers a signature. Its signers are known when {@link Signers.resolve} is called. */
  findSigners(endpoint: string, signature: string, body: Buffer): string[]
  /** Replaces the placeholders: a response with a secret may arrive after a request that is signed with it. */
  resolve(): void
}

/** A secret that no response returned. */
const unknownName = '?'

/** Starts without secrets. */
export function createSigners(): Signers {
  const secrets = new Map<string, { name: string; secret: string }[]>()
  const waiting: { names: string[]; endpoint: string; signature: string; body: Buffer }[] = []
  return {
    addSecret(endpoint, name, secret) {
      secrets.set(endpoint, [...(secrets.get(endpoint) ?? []), { name, secret }])
    },
    findSigners(endpoint, signature, body) {
      const names: string[] = []
      waiting.push({ names, endpoint, signature, body })
      return names
    },
    resolve() {
      for (const { names, endpoint, signature, body } of waiting.splice(0)) {
        names.push(...signersOf(signature, body, secrets.get(endpoint) ?? []))
      }
    },
  }
}

/** The names of the secrets that a `Service-Signature` was made with (docs/specification/webhooks.md#signature). */
function signersOf(
  signature: string,
  body: Buffer,
  secrets: readonly { name: string; secret: string }[],
): string[] {
  const [time = '', ...signatures] = signature.split(',')
  return signatures.map((value) => {
    const signer = secrets.find(({ secret }) => {
      const hmac = createHmac('sha256', secret)
        .update(`${time.slice(2)}.`)
        .update(body)
      return `v1=${hmac.digest('hex')}` === value
    })
    return signer?.name ?? unknownName
  })
}
