import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { choosePort } from './choose-port.ts'
import { freePort } from './free-port.ts'

let occupant: Server
let taken = 0
beforeEach(async () => {
  occupant = createServer().listen(0, '127.0.0.1')
  await once(occupant, 'listening')
  taken = (occupant.address() as AddressInfo).port
})
afterEach(() => {
  occupant.close()
})

async function choose(preferred: number | undefined, last?: string) {
  const file = join(makeTemporaryFolder(), 'api.port')
  if (last !== undefined) writeFileSync(file, last)
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  return { port: await choosePort({ name: 'The API', file, preferred, log }), lines }
}

describe('the port of a local server', () => {
  test('is the preferred one, without a message', async () => {
    const free = await freePort()
    expect(await choose(free)).toEqual({ port: free, lines: [] })
  })

  test('is the one of the last run', async () => {
    const last = await freePort()
    expect(await choose(await freePort(), `${last}\n`)).toEqual({ port: last, lines: [] })
  })

  test.each(['preferred', 'last'])(
    'is another port if the %s one is in use, and the log names both',
    async (which) => {
      const { port, lines } = await (which === 'preferred'
        ? choose(taken)
        : choose(await freePort(), `${taken}\n`))
      expect(port).not.toBe(taken)
      expect(lines).toEqual([`Port ${taken} is in use. The API listens on port ${port} instead.`])
    },
  )

  test.each(['', 'nonsense', '0', '-1', '80.5', '99999'])(
    'is the preferred one if the file of the last run contains "%s"',
    async (last) => {
      const free = await freePort()
      expect(await choose(free, last)).toEqual({ port: free, lines: [] })
    },
  )
})
