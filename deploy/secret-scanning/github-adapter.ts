// Receives the alerts of GitHub's secret scanning partner program, verifies their signatures offline, and revokes
// the keys that they contain with `POST /auth/revoke`. See README.md. Needs Node 24 and nothing of this repository.
import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'

/** What the adapter needs to know. */
export interface AdapterOptions {
  /** The base URL of the API, such as `https://panel.example.com/api/v1`. */
  readonly apiUrl: string
  /** GitHub's public keys by their identifiers. */
  readonly publicKeys: ReadonlyMap<string, KeyObject>
  /** Whether to revoke the keys that were created with a leaked key, too. */
  readonly descendants: boolean
}

const bodyBytesMax = 2 ** 20
const requestTimeoutMs = 30_000

/** Reads the document of https://api.github.com/meta/public_keys/secret_scanning. */
export function readPublicKeys(text: string): Map<string, KeyObject> {
  const { public_keys: keys } = JSON.parse(text) as {
    public_keys: readonly { key_identifier: string; key: string }[]
  }
  return new Map(keys.map(({ key_identifier: id, key }) => [id, createPublicKey(key)]))
}

/** Creates the server. It responds to `POST /github` and, for health checks, to `GET /healthz`. */
export function createAdapter(options: AdapterOptions): Server {
  return createServer((request, response) => {
    respond(options, request).then(
      (status) => response.writeHead(status).end(),
      (error: unknown) => {
        process.stderr.write(`An alert was not processed: ${(error as Error).message}\n`)
        response.writeHead(502).end()
      },
    )
  })
}

async function respond(options: AdapterOptions, request: IncomingMessage): Promise<number> {
  if (request.method === 'GET' && request.url === '/healthz') return 200
  if (request.method !== 'POST' || request.url !== '/github') return 404
  const body = await readBody(request)
  if (!body) return 413
  if (!isSigned(options, request, body)) return 401
  const tokens = findTokens(body)
  if (!tokens) return 400
  for (const token of tokens) await revoke(options, token)
  process.stdout.write(`Posted ${tokens.length} tokens for revocation.\n`)
  return 200
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** GitHub signs the raw body with ECDSA, P-256 and SHA-256. */
function isSigned(
  { publicKeys }: AdapterOptions,
  { headers }: IncomingMessage,
  body: Buffer,
): boolean {
  const id = headers['github-public-key-identifier']
  const signature = headers['github-public-key-signature']
  const key = typeof id === 'string' ? publicKeys.get(id) : undefined
  if (!key || typeof signature !== 'string') return false
  try {
    return verify('sha256', body, key, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

/** The distinct tokens with a correct checksum; `undefined` if the body is not a list of alerts. */
function findTokens(body: Buffer): string[] | undefined {
  try {
    const alerts = JSON.parse(body.toString()) as readonly { token?: unknown }[]
    const texts = alerts.map(({ token }) => token).filter((token) => typeof token === 'string')
    return [...new Set(texts)].filter(hasRightChecksum)
  } catch {
    return undefined
  }
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function hasRightChecksum(token: string): boolean {
  if (!/^[a-z]{2,12}_[a-z2-7]{12}_[0-9A-Za-z]{38}$/.test(token)) return false
  let rest = crc32(token.slice(0, -6))
  let checksum = ''
  for (let place = 0; place < 6; place++) {
    checksum = digits[rest % 62]! + checksum
    rest = Math.floor(rest / 62)
  }
  return token.endsWith(checksum)
}

/** The API accepts 10 calls per minute and address. After a 429, waits as long as it says. */
async function revoke({ apiUrl, descendants }: AdapterOptions, token: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${apiUrl}/auth/revoke`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token, descendants }),
      redirect: 'error',
      signal: AbortSignal.timeout(requestTimeoutMs),
    })
    if (response.status === 204) return
    if (response.status !== 429) throw new Error(`the API responded with ${response.status}`)
    await delay(Number(response.headers.get('retry-after') ?? 1) * 1_000)
  }
}

if (import.meta.main) {
  const { API_URL, GITHUB_PUBLIC_KEYS, REVOKE_DESCENDANTS, HOST, PORT } = process.env
  if (!API_URL || !GITHUB_PUBLIC_KEYS) throw new Error('Set API_URL and GITHUB_PUBLIC_KEYS.')
  const publicKeys = readPublicKeys(readFileSync(GITHUB_PUBLIC_KEYS, 'utf8'))
  const server = createAdapter({
    apiUrl: API_URL,
    publicKeys,
    descendants: REVOKE_DESCENDANTS === 'true',
  })
  server.listen(Number(PORT ?? 8090), HOST ?? '127.0.0.1')
  process.once('SIGTERM', () => server.close())
}
