import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decideRotation, type SecretEnd } from '../../src/api-keys/rotation.ts'

const now = new Date('2026-06-01T12:00:00Z')
const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
const present: SecretEnd = { id: 'present', expiresAt: null }
const graced = (count: number): SecretEnd[] =>
  Array.from({ length: count }, (_, index) => ({ id: `old-${index}`, expiresAt: at(index + 1) }))

describe('without an overlap period', () => {
  test('every existing secret ends immediately', () => {
    expect(decideRotation([present, ...graced(2)], { overlapSeconds: 0, now })).toEqual({
      refused: false,
      removed: ['present', 'old-0', 'old-1'],
      retiring: undefined,
    })
  })

  test('it is possible with any number of valid secrets', () => {
    const { refused } = decideRotation([present, ...graced(9)], { overlapSeconds: 0, now })
    expect(refused).toBe(false)
  })
})

describe('with an overlap period', () => {
  test('the current secret ends with the overlap period, and earlier ones end at their own time', () => {
    expect(decideRotation([...graced(2), present], { overlapSeconds: 60, now })).toEqual({
      refused: false,
      removed: [],
      retiring: { id: 'present', expiresAt: at(60) },
    })
  })

  test('a secret that has ended or ends now is removed', () => {
    const secrets = [
      { id: 'long ago', expiresAt: at(-60) },
      { id: 'now', expiresAt: now },
      { id: 'soon', expiresAt: at(0.001) },
      present,
    ]
    expect(decideRotation(secrets, { overlapSeconds: 60, now })).toMatchObject({
      removed: ['long ago', 'now'],
      retiring: { id: 'present' },
    })
  })

  test('a rotation is refused with ten valid secrets but not with nine; expired ones do not count', () => {
    const rotate = (secrets: SecretEnd[]) => decideRotation(secrets, { overlapSeconds: 1, now })
    expect(rotate([present, ...graced(8)]).refused).toBe(false)
    expect(rotate([present, ...graced(9)]).refused).toBe(true)
    const ended = Array.from({ length: 20 }, (_, index) => ({ id: `${index}`, expiresAt: at(-1) }))
    expect(rotate([present, ...graced(8), ...ended]).refused).toBe(false)
  })
})

test('after any rotations at most ten secrets are valid, and none outlives its end', () => {
  const steps = fc.array(
    fc.record({ waitSeconds: fc.nat(40), overlapSeconds: fc.constantFrom(0, 1, 30, 60, 86_400) }),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(steps, (rotations) => {
      let secrets: SecretEnd[] = [{ id: '0', expiresAt: null }]
      let ms = now.getTime()
      for (const [index, { waitSeconds, overlapSeconds }] of rotations.entries()) {
        ms += waitSeconds * 1_000
        const moment = new Date(ms)
        const rotation = decideRotation(secrets, { overlapSeconds, now: moment })
        const valid = secrets.filter(({ expiresAt }) => !expiresAt || expiresAt > moment)
        expect(rotation.refused).toBe(overlapSeconds > 0 && valid.length >= 10)
        if (rotation.refused) continue
        const { removed, retiring } = rotation
        const kept = secrets.filter(({ id }) => !removed.includes(id))
        secrets = [
          ...kept.map((secret) => (secret.id === retiring?.id ? retiring : secret)),
          { id: String(index + 1), expiresAt: null },
        ]
        expect(secrets.filter(({ expiresAt }) => !expiresAt)).toHaveLength(1)
        expect(secrets.length).toBeLessThanOrEqual(10)
        expect(kept.every((secret) => valid.includes(secret))).toBe(true)
      }
    }),
  )
})
