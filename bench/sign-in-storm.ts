// A storm of sign-ins in a separate process, so that it delays no timer of the measurement: 480 at once from 24
// addresses. It prints `listening` when it is ready, starts on a line of standard input, and prints the results.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

const signIns = 480
const addresses = 24
const password = 'correct horse battery staple'

const url = new URL(process.env['STORM_URL']!)
const round = Number(process.env['STORM_ROUND'])
const keepsAlive = process.env['STORM_KEEPS_ALIVE'] === 'yes'
const isForm = process.env['STORM_IS_FORM'] === 'yes'

const say = (entry: object): void => void process.stdout.write(`${JSON.stringify(entry)}\n`)

/** Every round uses new addresses, so that no earlier one has used up their sign-in limits. */
async function open(index: number): Promise<Socket> {
  const localAddress = `127.${1 + round}.0.${1 + (index % addresses)}`
  const { hostname: host, port } = url
  const socket = connect({ host, port: Number(port), localAddress, noDelay: true })
  await once(socket, 'connect')
  return socket
}

function requestOf(index: number): string {
  const email = `person-${index}@${round}.bench.test`
  const body = isForm
    ? new URLSearchParams({ do: 'sign-in', email, password }).toString()
    : JSON.stringify({ email, password })
  const lines = [
    `POST ${isForm ? '/sign-in' : '/api/v1/auth/session'} HTTP/1.1`,
    `Host: ${url.host}`,
    `Content-Type: application/${isForm ? 'x-www-form-urlencoded' : 'json'}`,
    `Content-Length: ${body.length}`,
    ...(keepsAlive ? [] : ['Connection: close']),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Sends the request; returns whether it was refused. A refused form leads back to its page. */
async function signIn(index: number, socket: Socket): Promise<boolean> {
  socket.setEncoding('latin1').write(requestOf(index))
  const [text] = (await once(socket, 'data')) as [string]
  socket.destroy()
  return text.slice(9, 12) === '503' || /^location: \/sign-in/im.test(text)
}

const indexes = Array.from({ length: signIns }, (_, index) => index)
const opened = keepsAlive ? await Promise.all(indexes.map(open)) : []
say({ msg: 'listening', port: 0 })
await once(createInterface(process.stdin), 'line')
const startedAt = performance.now()
const results = await Promise.all(
  indexes.map(async (index) => signIn(index, opened[index] ?? (await open(index)))),
)
const refused = results.filter(Boolean).length
say({ refused, ms: performance.now() - startedAt })
process.exit(0)
