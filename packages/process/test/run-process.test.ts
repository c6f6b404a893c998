import { expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { testEnvironment } from '../../../test/support/environment.ts'

const script = new URL('support/ending.ts', import.meta.url).pathname

test('a process that drains writes every line of its log before it exits, however slowly they are read', async () => {
  const env = { ...testEnvironment(), LOG_LEVEL: 'info' }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const messages: string[] = []
  for await (const line of createInterface(child.stdout)) {
    messages.push((JSON.parse(line) as { msg: string }).msg)
  }
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
  expect(messages.filter((message) => message === 'draining')).toHaveLength(1_001)
  expect(messages.at(-1)).toBe('ended')
  expect(code).toBe(0)
})
