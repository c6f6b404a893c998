import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { root } from '../tools/run.ts'
import type { Command, Measured } from './beside-runner.ts'
import { ofRounds, ratioOfRounds } from './figures.ts'
import type { BenchmarkResult, FigureOfRounds, Table, Unit } from './results.ts'

const runnerFile = 'bench/beside-runner.ts'
/** Its name in the other checkout, which may have one of its own. */
const copiedFile = 'bench/beside-runner.copied.ts'
const rounds = 5
const restSeconds = 30
const diskEvents = 50_000

/** The rounds of a turn, by the name of their row. */
const commands: Readonly<Record<string, Command>> = {
  singly: { kind: 'sustain', events: 4_000, batchSize: 1 },
  in_batches: { kind: 'sustain', events: 10_000, batchSize: 100 },
  at_100: { kind: 'steady', perSecond: 100, seconds: 15 },
  at_300: { kind: 'steady', perSecond: 300, seconds: 10 },
  disk: { kind: 'disk', events: diskEvents, batchSize: 1 },
  rest: { kind: 'rest', seconds: restSeconds },
}

/** The rounds of which one is enough. */
const onceOnly: ReadonlySet<Command['kind']> = new Set(['disk', 'rest'])

/**
 * The deliveries of this checkout beside those of another, round by round in turns, each with its own servers.
 *
 * `BESIDE`: the folder of the other checkout, with its packages and its build. `BESIDE_ROWS`: names of rows, all by default.
 */
export async function beside(): Promise<BenchmarkResult> {
  const other = process.env['BESIDE']
  if (other === undefined) throw new Error('BESIDE must be the folder of another checkout')
  const copy = `${other}/${copiedFile}`
  await copyFile(root + runnerFile, copy)
  try {
    const [here, there] = [
      await startRunner(root, runnerFile),
      await startRunner(other, copiedFile),
    ]
    const figures: Record<string, Table> = {}
    for (const name of process.env['BESIDE_ROWS']?.split(',') ?? Object.keys(commands)) {
      figures[name] = await inTurns({ here, there }, commands[name]!)
    }
    await Promise.all([here.stop(), there.stop()])
    const settings = { rounds, rest_seconds: restSeconds, disk_events: diskEvents }
    return { servers: here.facts, settings, figures }
  } finally {
    await rm(copy)
  }
}

interface Runner {
  /** Of its servers. */
  readonly facts: BenchmarkResult['servers']
  run(command: Command): Promise<Measured>
  stop(): Promise<void>
}

async function startRunner(checkout: string, file: string): Promise<Runner> {
  const child = spawn(process.execPath, [file], {
    cwd: checkout,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`the runner of ${checkout} has ended`)
    return JSON.parse(value)
  }
  return {
    facts: (await next()) as BenchmarkResult['servers'],
    async run(command) {
      child.stdin.write(`${JSON.stringify(command)}\n`)
      return (await next()) as Measured
    },
    async stop() {
      child.stdin.end()
      await ended
    },
  }
}

/** Alternates the rounds of both, after one that is not counted, or runs one. */
async function inTurns(
  { here, there }: Readonly<Record<'here' | 'there', Runner>>,
  command: Command,
): Promise<Table> {
  const taken: { here: Measured; there: Measured }[] = []
  const isSingle = onceOnly.has(command.kind)
  for (let round = isSingle ? 1 : 0; round <= (isSingle ? 1 : rounds); round++) {
    const turn = { here: await here.run(command), there: await there.run(command) }
    if (round > 0) taken.push(turn)
  }
  const rows: Record<string, Record<string, FigureOfRounds>> = { here: {}, there: {}, ratio: {} }
  for (const name of Object.keys(taken[0]!.here)) {
    const [ours, theirs] = [
      taken.map((each) => each.here[name]!),
      taken.map((each) => each.there[name]!),
    ]
    if ([...ours, ...theirs].every((value) => value === 0)) continue
    rows['here']![name] = ofRounds(unitOf(name), ours)
    rows['there']![name] = ofRounds(unitOf(name), theirs)
    // What the other has none of has no ratio.
    if (!theirs.includes(0)) rows['ratio']![name] = ratioOfRounds(ours, theirs)
  }
  return rows
}

const unitOf = (name: string): Unit => {
  if (name.startsWith('cpu_')) return 'µs'
  if (/^p\d/.test(name)) return 'ms'
  if (name === 'memoryMiB') return 'MiB'
  return name === 'deliveredPerSecond' ? '/s' : 'count'
}
