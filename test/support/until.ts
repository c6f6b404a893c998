/**
 * Polls until the result is the expected one. The timeout is long, because a busy machine is slow.
 *
 * @throws Error with the last result after `timeoutMs`.
 */
export async function until<T>(
  ask: () => Promise<T>,
  isDone: (answer: T) => boolean,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (isDone(answer)) return answer
    if (Date.now() > deadline) throw new Error(`waited in vain: ${JSON.stringify(answer)}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
