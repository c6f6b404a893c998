import { readRuns } from '../../bench/measured.ts'
import type { Figure } from '../../bench/results.ts'
import { markdownTable } from './format.ts'

const rates = [1_000, 10_000, 100_000]
const plannedShare = 0.6
const secondsPerDay = 86_400
const days = 30

/** What a delivery costs each part under load, and how many of them a core carries. */
export function partsTable(): string {
  const head = ['Part', 'CPU per delivery, sustained', 'Deliveries/s per full core (calculated)']
  return markdownTable(
    head,
    Object.entries(cpuUs()).map(([part, us]) => [part, `${us} µs`, approximate(1e6 / us)]),
  )
}

/** What a rate of deliveries needs. */
export function resourcesTable(): string {
  const { walBytes, diskBytes, redisCommands } = perDelivery()
  const cores = Object.entries(cpuUs())
    .filter(([part]) => part !== 'Redis')
    .map(([part, us]) => [
      `${part} cores at ${plannedShare * 100}%`,
      '',
      ...rates.map((rate) => String(Math.ceil((rate * us) / 1e6 / plannedShare))),
    ])
  const daily = diskBytes * secondsPerDay
  return markdownTable(
    ['Resource', 'Per delivery', ...rates.map((rate) => `At ${rate.toLocaleString('en-US')}/s`)],
    [
      ['Write-ahead log', bytes(walBytes), ...rates.map((rate) => `${bytes(rate * walBytes)}/s`)],
      [
        'Disk, of tables and indexes',
        bytes(diskBytes),
        ...rates.map((rate) => `${bytes(rate * daily)}/day`),
      ],
      [`The same for ${days} days`, '', ...rates.map((rate) => bytes(rate * daily * days))],
      [
        'Redis commands',
        redisCommands.toFixed(1),
        ...rates.map((rate) => `${approximate(rate * redisCommands)}/s`),
      ],
      ...cores,
    ],
  )
}

/** By part, in µs. */
function cpuUs(): Readonly<Record<string, number>> {
  const row = readRuns()['singles']!.figures['sustained']!['full']!
  return {
    'API, one event per request': valueOf(row['cpu_api']!),
    Worker: valueOf(row['cpu_worker']!),
    PostgreSQL: valueOf(row['cpu_postgres']!),
    Redis: valueOf(row['cpu_redis']!),
  }
}

function perDelivery() {
  const { beside, quiet } = readRuns()
  return {
    walBytes: valueOf(beside!.figures['singly']!['here']!['walBytes']!),
    diskBytes: valueOf(beside!.figures['disk']!['here']!['total']!),
    redisCommands: valueOf(quiet!.figures['at_100']!['redis_commands']!['total']!),
  }
}

const valueOf = (figure: Figure): number => ('value' in figure ? figure.value : figure.median)

/** With two digits. */
const approximate = (value: number): string => Number(value.toPrecision(2)).toLocaleString('en-US')

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

function bytes(value: number): string {
  const power = Math.floor(Math.log10(value) / 3)
  return `${approximate(value / 1_000 ** power)} ${byteUnits[power]}`
}
