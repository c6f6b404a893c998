import dgram from 'node:dgram'
import { once } from 'node:events'

/** The records of a name; `silent`: the server does not respond. */
export type DnsResponse = { readonly v4?: string; readonly v6?: string } | 'unknown' | 'silent'

/** The type of a query: for IPv4 or IPv6 addresses. */
export type QueryType = 'A' | 'AAAA'

/** A DNS server on a port of 127.0.0.1. */
export interface NameServer {
  /** `<address>:<port>`, in the format of c-ares. */
  readonly address: string
  /** The names that were queried, in order, one entry per query. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

/** Starts a DNS server (RFC 1035) that responds to A and AAAA queries over UDP. */
export async function startNameServer(
  lookUp: (name: string, type: QueryType) => DnsResponse | Promise<DnsResponse>,
): Promise<NameServer> {
  const socket = dgram.createSocket('udp4')
  const asked: string[] = []
  let isOpen = true
  const reply = async (query: Buffer, { address, port }: dgram.RemoteInfo) => {
    const { name, type, questionEnd } = readQuestion(query)
    asked.push(name)
    const found = await lookUp(name, type === typeA ? 'A' : 'AAAA')
    if (found === 'silent' || !isOpen) return
    const record = found !== 'unknown' && toRecord(type, found)
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(found === 'unknown' ? 0x8183 : 0x8180, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(record ? 1 : 0, 6)
    const question = query.subarray(12, questionEnd)
    socket.send(Buffer.concat([header, question, record || Buffer.alloc(0)]), port, address)
  }
  socket.on('message', (query, from) => void reply(query, from))
  await once(socket.bind(0, '127.0.0.1'), 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      isOpen = false
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

const [typeA, typeAaaa] = [1, 28]

function readQuestion(query: Buffer): { name: string; type: number; questionEnd: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), questionEnd: at + 5 }
}

function toRecord(type: number, { v4, v6 }: { v4?: string; v6?: string }): Buffer | undefined {
  if (type === typeA && v4) return resource(type, Buffer.from(v4.split('.').map(Number)))
  if (type === typeAaaa && v6) {
    // The tests write addresses in full, such as 2001:db8:0:0:0:0:0:7.
    const words = v6.split(':').map((word) => Number.parseInt(word, 16))
    return resource(type, Buffer.from(words.flatMap((word) => [word >> 8, word & 255])))
  }
  return undefined
}

/** A record for the name of the question, class IN, with a TTL of 60 seconds. */
const resource = (type: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]), data])
