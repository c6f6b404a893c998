import net from 'node:net'

/** What a stranger sends to a program that is reachable by everybody; the bytes of one connection. */
const requests = (path: string): Readonly<Record<string, string>> => {
  const start = (method = 'POST') => `${method} ${path} HTTP/1.1\r\nHost: a\r\n`
  const forged = `Service-Signature: t=${Math.floor(Date.now() / 1_000)},v1=00\r\n`
  return {
    'a body that breaks off': `${start()}Content-Length: 100\r\n\r\nabc`,
    'a chunked body that breaks off': `${start()}Transfer-Encoding: chunked\r\n\r\n5\r\nab`,
    'no signature': `${start()}Content-Length: 2\r\n\r\n{}`,
    'a forged signature': `${start()}${forged}Content-Length: 2\r\n\r\n{}`,
    'two signatures': `${start()}${forged}${forged}Content-Length: 2\r\n\r\n{}`,
    'no length': `${start()}\r\n`,
    'a length that is not a number': `${start()}Content-Length: abc\r\n\r\n`,
    'a negative length': `${start()}Content-Length: -1\r\n\r\n`,
    'an enormous length': `${start()}Content-Length: 99999999999999999999\r\n\r\nabc`,
    'a body that is not JSON': `${start()}${forged}Content-Length: 3\r\n\r\nabc`,
    'bytes that are not UTF-8': `${start()}Service-Signature: t=\u00FF\u00C3\r\nContent-Length: 1\r\n\r\n\u00FF`,
    'very long headers': `${start()}X: ${'a'.repeat(100_000)}\r\n\r\n`,
    GET: `${start('GET')}\r\n`,
    HEAD: `${start('HEAD')}\r\n`,
    OPTIONS: `${start('OPTIONS')}\r\n`,
    'another protocol': '\u0016\u0003\u0001\0\u0005hello\r\n\r\n',
    'a path with broken escapes': `POST /%E0%A4%A HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`,
    'a body of 10 MB': `${start()}${forged}Content-Length: 10000000\r\n\r\n${'a'.repeat(10_000_000)}`,
    'a chunked body of 10 MB': `${start()}Transfer-Encoding: chunked\r\n\r\n989680\r\n${'a'.repeat(10_000_000)}\r\n0\r\n\r\n`,
  }
}

/** Sends the bytes on a connection, which it then ends or breaks. Returns the status of the response; 0 for none. */
async function send(
  port: number,
  bytes: string,
  end: 'reset' | 'half-close' | 'wait',
): Promise<number> {
  const socket = net.connect(port, '127.0.0.1')
  let received = ''
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    received += String(chunk)
    socket.end()
  })
  socket.setTimeout(5_000, () => socket.destroy())
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(Buffer.from(bytes, 'latin1'), () => {
    if (end === 'reset') socket.resetAndDestroy()
    if (end === 'half-close') socket.end()
  })
  await closed
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(received)?.[1] ?? 0)
}

/** Requests that are complete and not too large: they must be answered. */
const complete = new Set([
  'no signature',
  'a forged signature',
  'two signatures',
  'no length',
  'a body that is not JSON',
  'bytes that are not UTF-8',
  'HEAD',
  'OPTIONS',
])

/**
 * Sends everything that strangers send, while many connections stay open without a word.
 *
 * @param onlyComplete - sends only the requests that must be answered, to a program in a server of somebody else's.
 * @returns the statuses of the requests that must be answered.
 */
export async function provoke(
  port: number,
  path: string,
  { onlyComplete = false } = {},
): Promise<[what: string, status: number][]> {
  const statuses: [string, number][] = []
  const silent = Array.from({ length: 50 }, () => net.connect(port, '127.0.0.1'))
  for (const socket of silent) socket.on('error', () => undefined)
  silent[0]!.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\na`)
  for (const [what, bytes] of Object.entries(requests(path))) {
    if (onlyComplete && !complete.has(what)) continue
    const breaksOff = what.includes('breaks off')
    if (breaksOff) await send(port, bytes, 'reset')
    const status = await send(port, bytes, breaksOff ? 'half-close' : 'wait')
    if (complete.has(what)) statuses.push([what, status])
  }
  for (const socket of silent) socket.destroy()
  return statuses
}
