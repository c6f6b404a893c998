import { signatureHeader } from '@hosting/core/webhooks'
import { verifyWebhook } from '@hosting/sdk'
import { describe, expect, test } from '@jest/globals'
import { readVectors, type Vector } from './vectors.ts'

const vectors = readVectors()
const named = (name: string): Vector => vectors.find((vector) => vector.name === name)!
const timeOf = ({ header }: Vector): number => Number(/t=(\d+)/.exec(header)![1])
const signedBy = (vector: Vector, secret: string): string =>
  signatureHeader(Buffer.from(vector.body), [secret], timeOf(vector)).split('v1=')[1]!

/** Which of the receiver's secrets made a `v1` of the header, as computed by core. */
const fittingSecrets = (vector: Vector): string[] => {
  const fields = vector.header.split(',')
  return vector.secrets.filter((secret) => fields.includes(`v1=${signedBy(vector, secret)}`))
}

test('every vector has a unique name', () => {
  expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length)
})

describe('core', () => {
  test('creates the exact header for one secret, and for two', () => {
    for (const [name, secrets] of [
      ['one secret', named('one secret').secrets],
      ['two v1, the receiver has both', named('two v1, the receiver has both').secrets],
      ['UTF-8 in the body', named('one secret').secrets],
      ['an empty body', named('one secret').secrets],
    ] as const) {
      const vector = named(name)
      const body = Buffer.from(vector.body)
      expect(signatureHeader(body, secrets, timeOf(vector))).toBe(vector.header)
    }
  })

  const accepted = vectors.filter((vector) => vector.accepted)
  test.each(accepted)('signs accepted vectors: $name', (vector) => {
    expect(fittingSecrets(vector)).not.toEqual([])
  })

  const forged = vectors.filter(({ reason }) => reason === 'signature_mismatch')
  test.each(forged)('does not sign forged vectors: $name', (vector) => {
    expect(fittingSecrets(vector)).toEqual([])
  })

  test('signs vectors that are refused only for their time or their empty secret', () => {
    for (const name of [
      'signed 301 s ago',
      'signed 301 s in the future',
      'the receiver has an empty secret',
    ]) {
      expect(fittingSecrets(named(name))).toHaveLength(1)
    }
  })
})

describe('the SDK', () => {
  const verify = ({ body, header, secrets, now }: Vector): Promise<unknown> =>
    verifyWebhook(Buffer.from(body), header, secrets, { now: () => now * 1_000 })

  const accepted = vectors.filter(({ accepted: is, body }) => is && body !== '')
  test.each(accepted)('accepts: $name', async (vector) => {
    expect(await verify(vector)).toEqual(JSON.parse(vector.body))
  })

  test('accepts the signature of an empty body, which is not an event', async () => {
    await expect(verify(named('an empty body'))).rejects.toMatchObject({ reason: 'body_not_json' })
  })

  const refused = vectors.filter(({ reason }) => reason !== undefined)
  test.each(refused)('refuses with a reason: $name', async (vector) => {
    await expect(verify(vector)).rejects.toMatchObject({ reason: vector.reason })
  })

  test('treats an empty secret as an error of the receiver', async () => {
    await expect(verify(named('the receiver has an empty secret'))).rejects.toThrow(TypeError)
  })

  test('is tested with every vector', () => {
    const asked = accepted.length + refused.length + 2
    expect(asked).toBe(vectors.length)
  })
})
