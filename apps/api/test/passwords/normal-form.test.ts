import { expect, test } from '@jest/globals'
import { hash } from '@node-rs/argon2'
import { withPasswordHasher } from '../../src/api/passwords/password-hash.ts'

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const
const text = 'Zürich-Pässwörter-ﬁ-1'
const check = (passwordHash: string, password: string) =>
  withPasswordHasher((hasher) => hasher.check(passwordHash, password))

test('a password that is set in any Unicode form is right in every form', async () => {
  const passwordHash = await withPasswordHasher((hasher) => hasher.hash(text.normalize('NFD')))
  for (const form of forms) expect(await check(passwordHash, text.normalize(form))).toBe('current')
  expect(await check(passwordHash, 'Zurich-Passworter-fi-1')).toBe('wrong')
})

test('the hash of a password in another form, made before, still works', async () => {
  for (const before of ['NFC', 'NFD'] as const) {
    const passwordHash = await hash(text.normalize(before))
    for (const typed of ['NFC', 'NFD'] as const) {
      expect(await check(passwordHash, text.normalize(typed))).toBe('outdated')
    }
  }
})

test('the hash with other parameters still works, and is outdated', async () => {
  const passwordHash = await hash(text.normalize('NFKC'), { memoryCost: 8_192, timeCost: 3 })
  expect(await check(passwordHash, text)).toBe('outdated')
  expect(await check(passwordHash, 'another password')).toBe('wrong')
})
