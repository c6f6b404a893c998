import type { ServiceProcess } from './processes.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** The servers of a run on many machines. Other runs have one PostgreSQL, one Redis, and one process of each kind. */
export interface ManyMachines {
  /** The settings for Redis. */
  readonly redis: Readonly<Record<string, string>>
  /** The pooler's URL for any database, in transaction mode. */
  readonly pgbouncerUrl: string
}

const variable = 'TEST_MANY_MACHINES'

/** Makes the tests of this run use many machines; called by their set-up. */
export function setManyMachines(machines: ManyMachines): void {
  process.env[variable] = JSON.stringify(machines)
}

/** `undefined`: the tests of this run use one machine. */
export const manyMachines = (): ManyMachines | undefined => {
  const text = process.env[variable]
  return text === undefined ? undefined : (JSON.parse(text) as ManyMachines)
}

/** The URL of a database through the pooler. */
export function throughPooler(databaseUrl: string, { pgbouncerUrl }: ManyMachines): string {
  const url = new URL(pgbouncerUrl)
  url.pathname = new URL(databaseUrl).pathname
  return url.href
}

/** Several processes of a kind as one: connections alternate between them; other operations apply to all. */
export async function asOne(services: readonly ServiceProcess[]): Promise<ServiceProcess> {
  const [first] = services as readonly [ServiceProcess, ...ServiceProcess[]]
  if (services.length === 1) return first
  const ports = await Promise.all([
    inTurn(services.map(({ port }) => port)),
    inTurn(services.map(({ internalPort }) => internalPort)),
  ])
  const all = async <T>(run: (service: ServiceProcess) => Promise<T>): Promise<T[]> =>
    await Promise.all(services.map(run))
  const worst = (codes: readonly (number | null)[]): number | null =>
    codes.find((code) => code !== 0) ?? 0
  return {
    port: ports[0].port,
    internalPort: ports[1].port,
    get lines() {
      return services.flatMap(({ lines }) => lines)
    },
    ended: all(({ ended }) => ended).then(worst),
    async stop() {
      const codes = await all((service) => service.stop())
      await Promise.all(ports.map(({ close }) => close()))
      return worst(codes)
    },
    async kill() {
      await all((service) => service.kill())
      await Promise.all(ports.map(({ close }) => close()))
    },
    whileStopped: (work) =>
      services.reduceRight<() => Promise<void>>(
        (inner, service) => () => service.whileStopped(inner),
        work,
      )(),
  }
}

async function inTurn(
  ports: readonly (number | undefined)[],
): Promise<{ port: number; close: () => Promise<void> }> {
  if (ports.includes(undefined)) return { port: 0, close: () => Promise.resolve() }
  let turn = 0
  const proxy = await startTcpProxy(() => `http://127.0.0.1:${ports[turn++ % ports.length]}`)
  return { port: Number(new URL(proxy.url).port), close: () => proxy.close() }
}
