import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { makeTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { TestApi } from '../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'
import { makeMachine, type Machine, type Situation } from './hctl.ts'

/** A new organization, with a key that may do everything and a file of its own. */
export interface Organization {
  readonly machine: Machine
  readonly folder: string
  readonly secretsFile: string
  readonly token: string
  /** Calls the API as an administrator in the panel. */
  readonly call: ReturnType<typeof callWith>
  /** Writes the file: its sections after `version`, or a text. */
  write(content: object | string): void
  /** Runs `hctl plan`, `hctl apply` or `hctl export` with the file. */
  run(line: string, situation?: Situation): ReturnType<Machine['hctl']>
}

export async function makeOrganization(api: TestApi): Promise<Organization> {
  const tenant = await api.makeTenant()
  const call = callWith(api, await makeSignedIn(api, tenant))
  const body = { name: 'deploy', kind: 'organization', scopes: ['*'] }
  const { token } = (await call('post', '/api-keys', { body })).body as { token: string }
  const machine = await makeMachine({ HCTL_URL: api.url, HCTL_TOKEN: token })
  const folder = makeTemporaryFolder()
  const file = join(folder, 'hosting.yaml')
  return {
    machine,
    folder,
    secretsFile: join(folder, `${randomUUID()}.json`),
    token,
    call,
    write(content) {
      const text = typeof content === 'string' ? content : stringify({ version: 1, ...content })
      writeFileSync(file, text)
    },
    run(line, situation) {
      const words = line.split(' ')
      const named = words[0] === 'export' ? words : [...words, '--file', file]
      return machine.hctl(named, situation)
    },
  }
}
