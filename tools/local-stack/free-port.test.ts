import { describe, expect, test } from '@jest/globals'
import { freePort } from './free-port.ts'
import { run } from './process.ts'

/** The port that another process gets which prefers one. */
async function preferElsewhere(port: number): Promise<number> {
  const script = `import { freePort } from '${import.meta.dirname}/free-port.ts'; console.log(await freePort(${port}))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script])
  return Number(stdout)
}

describe('a free port', () => {
  test('is given to no other process while nothing listens on it', async () => {
    const port = await freePort()
    expect(await preferElsewhere(port)).not.toBe(port)
    expect(await freePort(port)).toBe(port)
  })

  test('is given to another process when this one has ended', async () => {
    const port = await preferElsewhere(0)
    expect(port).toBeGreaterThan(0)
    expect(await preferElsewhere(port)).toBe(port)
  })

  test('is another one on each call', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()))
    expect(new Set(ports).size).toBe(20)
  })
})
