import autocannon from 'autocannon'

/** What a load brought. */
export interface Load {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly not200: number
}

const connections = 50

/** Sends the requests in turns over 50 connections, for a time or until so many were answered. */
export async function putLoad(
  url: string,
  requests: autocannon.Request[],
  extent: { seconds: number } | { amount: number },
): Promise<Load> {
  const result = await autocannon({
    url,
    connections,
    requests,
    ...('seconds' in extent ? { duration: extent.seconds } : { amount: extent.amount }),
  })
  return {
    requests: result.requests.total,
    perSecond: result.requests.total / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    not200: result.non2xx + result.errors,
  }
}
