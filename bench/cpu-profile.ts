import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A part of the work, and its source files. */
export type Parts = readonly (readonly [name: string, file: RegExp])[]

/**
 * The CPU time of a process that ran with `--cpu-prof`, by part, in shares of its busy time. Time in Node itself
 * counts for the nearest part that called it; time without such a caller counts as `node`.
 *
 * @param directory - contains the only profile of the process; it is removed.
 */
export function readCpuProfile(directory: string, parts: Parts): Record<string, number> {
  const file = readdirSync(directory).find((name) => name.endsWith('.cpuprofile'))
  const profile = JSON.parse(readFileSync(join(directory, file!), 'utf8')) as CpuProfile
  rmSync(directory, { recursive: true })
  const spentMs = selfTimes(profile)
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const totals = new Map<string, number>()
  const visit = (node: ProfileNode, inherited: string): void => {
    const part = partOf(node, parts) ?? inherited
    totals.set(part, (totals.get(part) ?? 0) + (spentMs.get(node.id) ?? 0))
    for (const child of node.children ?? []) visit(nodes.get(child)!, part)
  }
  visit(profile.nodes[0]!, 'node')
  totals.delete('idle')
  const busy = [...totals.values()].reduce((sum, ms) => sum + ms, 0)
  return Object.fromEntries(
    [...totals]
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, ms]) => [name, Math.round((ms / busy) * 1_000) / 1_000]),
  )
}

/** The format of V8's inspector. */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

function selfTimes({ samples, timeDeltas }: CpuProfile): Map<number, number> {
  const times = new Map<number, number>()
  for (const [index, id] of samples.entries()) {
    times.set(id, (times.get(id) ?? 0) + timeDeltas[index]! / 1_000)
  }
  return times
}

const ownNames = new Map([
  ['(idle)', 'idle'],
  ['(garbage collector)', 'garbage'],
  ['(program)', 'node'],
])

const partOf = ({ callFrame }: ProfileNode, parts: Parts): string | undefined =>
  ownNames.get(callFrame.functionName) ?? parts.find(([, file]) => file.test(callFrame.url))?.[0]
