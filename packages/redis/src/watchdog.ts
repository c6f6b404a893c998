import { Cluster, type Redis } from 'ioredis'
import { setTimeout } from 'node:timers/promises'

/** How often each connection is asked for a response, in ms. */
const askEveryMs = 4_000
/** A connection is replaced when this many questions in a row had no response. */
const missesMax = 2
/** How long {@link responds} waits, in ms. */
const respondsMsMax = 2_000

/**
 * Replaces connections that no longer receive anything although the server is asked. A connection whose server or
 * network has silently forgotten it would otherwise stay in use for ever: TCP reports nothing while nobody resets it.
 * Blocking reads have connections of their own, for which BullMQ has a watchdog.
 */
export function watchConnection(connection: Redis | Cluster): void {
  const questions = new WeakMap<Redis, Question>()
  const timer = setInterval(() => {
    for (const node of nodesOf(connection)) askAgain(node, questions)
  }, askEveryMs).unref()
  connection.once('end', () => clearInterval(timer))
}

interface Question {
  readonly stream: Redis['stream']
  /** What had been received when the question was asked. */
  readonly bytesRead: number
  readonly misses: number
}

/** Counts received bytes, not responses, because a command of a producer times out before its response arrives. */
function askAgain(node: Redis, questions: WeakMap<Redis, Question>): void {
  const { stream, status } = node
  if (status !== 'ready') return void questions.delete(node)
  const { bytesRead } = stream
  const last = questions.get(node)
  const isSilent = last?.stream === stream && last.bytesRead === bytesRead
  const misses = isSilent ? last.misses + 1 : 0
  if (misses >= missesMax) {
    questions.delete(node)
    return node.disconnect(true)
  }
  questions.set(node, { stream, bytesRead, misses })
  node.ping().catch(() => undefined)
}

/** Whether Redis responds on the connection within two seconds. In a cluster, whether any of its nodes does. */
export async function responds(connection: Redis | Cluster): Promise<boolean> {
  if (connection.status !== 'ready') return false
  const asked = nodesOf(connection).map((node) => node.ping())
  const late = setTimeout(respondsMsMax, false, { ref: false })
  return await Promise.race([late, Promise.any(asked).then(() => true)]).catch(() => false)
}

const nodesOf = (connection: Redis | Cluster): readonly Redis[] =>
  connection instanceof Cluster ? connection.nodes('master') : [connection]
