import { expect } from '@jest/globals'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestApi } from '../../support/api.ts'
import { callWith, makeSignedIn } from '../../support/session.ts'

/** A client program, and how it is run. */
export interface ClientProgram {
  /** What the client calls itself. */
  readonly name: string
  readonly command: readonly [program: string, ...args: string[]]
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string>>
}

const running = new Set<ChildProcess>()

/** Ends the clients of tests that failed. */
export function endClients(): void {
  for (const child of running) child.kill()
}

/**
 * Runs a client that prints the codes of three device logins, each on a line, and then what it found. A person approves
 * the first login and denies the second, the third one expires, and each time the person presses Enter in the client.
 */
export async function runClient(
  api: TestApi,
  { name, command, cwd, environment = {} }: ClientProgram,
): Promise<unknown> {
  const call = callWith(api, await makeSignedIn(api, await api.makeTenant()))
  const post = async (path: string, body: object) =>
    expect(await call('post', `/auth/device/requests/${path}`, { body })).toMatchObject({
      status: 200,
    })
  const decisions: readonly ((userCode: string) => Promise<unknown>)[] = [
    (userCode) => post(`${userCode}/approve`, { access: 'full' }),
    (userCode) => post(`${userCode}/refuse`, {}),
    () => expire(api, name),
  ]
  const [file, ...args] = command
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, HOSTING_CLIENT: name, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  running.add(child)
  const lines: unknown[] = []
  for await (const line of createInterface(child.stdout)) {
    const value = JSON.parse(line) as { user_code: string }
    const decide = decisions[lines.push(value) - 1]
    if (!decide) continue
    await decide(value.user_code)
    child.stdin.write('\n')
  }
  expect(await exit).toEqual([0, null])
  running.delete(child)
  return lines.at(-1)
}

/** Ends the time in which the pending device login of a client can be approved. */
async function expire({ database }: TestApi, clientId: string): Promise<void> {
  const where = { clientId, status: 'pending' } as const
  const data = { expiresAt: new Date() }
  expect(await database.prisma.deviceRequest.updateMany({ where, data })).toEqual({ count: 1 })
}
