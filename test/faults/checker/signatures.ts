import {
  about,
  possible,
  seconds,
  type ArrivalCall,
  type HistoryView,
  type Rule,
} from './history-view.ts'

/** How long after its claim an attempt may still be signed with what was valid then, in ms. */
const underWayMs = 2_000

/** Every request is signed with the newest secret of its endpoint, and with none that has ended. */
export const signed: Rule = (history) =>
  history.run.endpoints.flatMap(({ id, secret }) => {
    const lives = secretsOf(history, id, secret)
    return about(history.of('deliver'), id).flatMap((arrival) => {
      if (isDisturbedStart(history, arrival)) return []
      const ended = arrival.value.secrets.filter((name) => hasEnded(lives, name, arrival.from))
      const message = `${arrival.value.delivery}: the request at ${seconds(arrival.from)} is signed with`
      if (ended.length > 0) return [`${message} ${ended.join(', ')}, which had ended`]
      const newest = newestOf(lives, arrival.from)
      if (arrival.value.secrets.some((name) => newest.has(name))) return []
      return [
        `${message} ${arrival.value.secrets.join(', ') || 'nothing'}, but not with ${[...newest].join(' or ')}`,
      ]
    })
  })

const isDisturbedStart = (history: HistoryView, { from }: ArrivalCall): boolean =>
  history.isDisturbed({ from: from - 2 * history.run.leaseMs, to: from }, [
    'worker',
    'postgres',
    'api',
  ])

/** The name of a secret that no response returned: of a rotation whose outcome is unknown. */
const unknownName = '?'

interface SecretLife {
  readonly name: string
  /** Valid at the earliest from, and certainly from. */
  readonly earliest: number
  readonly certain: number
  /** It has certainly ended. */
  readonly ended: number
}

/** The secrets of an endpoint, oldest first. */
function secretsOf(history: HistoryView, id: string, first: string): SecretLife[] {
  const rotations = possible(about(history.of('rotate'), id))
  const made = [
    { name: first, earliest: 0, certain: 0 },
    ...rotations.map(({ type, from, to, result }) => ({
      name: result?.secret ?? unknownName,
      earliest: from,
      certain: type === 'ok' ? to : Infinity,
    })),
  ]
  return made.map((secret, index) => {
    const later = rotations.slice(index).filter(({ type }) => type === 'ok')
    const next = later[0]
    const immediate = later.find(({ value }) => value.overlapSeconds === 0)
    const ends = [
      next ? next.to + next.value.overlapSeconds * 1_000 : Infinity,
      immediate?.to ?? Infinity,
    ]
    return { ...secret, ended: Math.min(...ends) + underWayMs }
  })
}

function hasEnded(lives: readonly SecretLife[], name: string, at: number): boolean {
  const same = lives.filter((life) => life.name === name)
  return same.every(({ earliest, ended }) => at < earliest || at > ended)
}

/** The secrets of which a request must have one: the newest certain one, and those that may be newer. */
function newestOf(lives: readonly SecretLife[], at: number): Set<string> {
  const newest = lives.findLastIndex(({ certain }) => certain + underWayMs <= at)
  return new Set(
    lives
      .slice(Math.max(newest, 0))
      .filter(({ earliest }) => earliest <= at)
      .map(({ name }) => name),
  )
}
