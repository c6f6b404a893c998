import { beforeEach, describe, expect } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { root } from '../../tools/run.ts'
import { needing, succeeds } from '../support/needing.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { readVectors, type Vector } from './vectors.ts'

const script = join(root, 'docs', 'quickstart', 'curl', 'verify.sh')
const vectors = readVectors()
const [valid] = vectors as [Vector]

let folder = ''
beforeEach(() => {
  folder = makeTemporaryFolder()
  // The receiver's clock, as the script reads it.
  writeFileSync(join(folder, 'date'), '#!/bin/sh\necho "$NOW"\n')
  chmodSync(join(folder, 'date'), 0o755)
})

/** Runs the script of the quickstart with one of the receiver's secrets; returns what it printed. */
function verify(shell: string, { header, body, now }: Vector, secret: string): string {
  writeFileSync(join(folder, 'body.json'), body)
  const env = {
    PATH: folder + delimiter + process.env['PATH']!,
    SIGNATURE: header,
    WEBHOOK_SECRET: secret,
    NOW: String(now),
  }
  return spawnSync(shell, [script], { cwd: folder, env, encoding: 'utf8' }).stdout.trim()
}

describe.each(['bash', 'dash'])('the script of the quickstart, in %s,', (shell) => {
  const inShell = needing(shell, succeeds([shell, '-c', 'true']))

  inShell.test(
    'verifies every vector correctly',
    () => {
      const verdicts = vectors.map((vector) => ({
        name: vector.name,
        accepted: vector.secrets.some((secret) => verify(shell, vector, secret) === 'genuine'),
      }))
      expect(verdicts).toEqual(vectors.map(({ name, accepted }) => ({ name, accepted })))
    },
    120_000,
  )

  inShell.test('runs nothing that a header contains', () => {
    const expressions = [
      'a[$(touch pwned)0]',
      '1,t=a[$(touch pwned)0]',
      'a[`touch pwned`0]',
      'now=1',
    ]
    for (const t of expressions) {
      expect([t, verify(shell, { ...valid, header: `t=${t},v1=00` }, 'whsec_x')]).toEqual([
        t,
        'refused',
      ])
    }
    expect(existsSync(join(folder, 'pwned'))).toBe(false)
  })

  inShell.test('refuses a second t, even an empty one', () => {
    for (const header of [`${valid.header},t=`, `t=,${valid.header}`]) {
      expect(verify(shell, { ...valid, header }, valid.secrets[0]!)).toBe('refused')
    }
  })

  inShell.test('refuses an empty v1 if openssl is missing', () => {
    writeFileSync(join(folder, 'openssl'), '#!/bin/sh\nexit 127\n')
    chmodSync(join(folder, 'openssl'), 0o755)
    const header = `${valid.header.split(',')[0]!},v1=`
    expect(verify(shell, { ...valid, header }, valid.secrets[0]!)).toBe('refused')
  })
})
