// The same JSON response as bare-express.ts, from Express 5, only for keys that better-auth's plugin for API keys
// verifies in this process. It creates its tables and keys itself; `GET /keys` returns them.
import { apiKey } from '@better-auth/api-key'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import express from 'express'
import { Redis } from 'ioredis'
import pg from 'pg'

const { DATABASE_URL, REDIS_URL, STORAGE, KEYS, BARE_PATH, BARE_BODY } = process.env
const redis = new Redis(REDIS_URL)
const prefix = 'better-auth:'
const options = {
  database: new pg.Pool({ connectionString: DATABASE_URL, max: 20 }),
  secret: Buffer.alloc(32, 7).toString('base64'),
  baseURL: 'http://127.0.0.1',
  logger: { disabled: true },
  telemetry: { enabled: false },
  secondaryStorage: {
    get: (key) => redis.get(prefix + key),
    set: (key, value, ttl) =>
      ttl ? redis.set(prefix + key, value, 'EX', Math.ceil(ttl)) : redis.set(prefix + key, value),
    delete: (key) => redis.del(prefix + key).then(() => null),
    getAndDelete: (key) => redis.getdel(prefix + key),
    async increment(key, ttl) {
      const count = await redis.incr(prefix + key)
      if (count === 1) await redis.expire(prefix + key, ttl)
      return count
    },
  },
  plugins: [
    // The same rate limit as our keys have.
    apiKey({
      storage: STORAGE,
      rateLimit: { enabled: true, timeWindow: 60_000, maxRequests: 600 },
    }),
  ],
}
const { runMigrations } = await getMigrations(options)
await runMigrations()
const auth = betterAuth(options)
const { internalAdapter } = await auth.$context
const keys = []
while (keys.length < Number(KEYS)) {
  // One user per key: in Redis it processes the list of its user's keys with every use of a key.
  const email = `bench-${STORAGE}-${keys.length}@bench.test`
  const user = await internalAdapter.createUser({ email, name: 'Bench' })
  const { key } = await auth.api.createApiKey({ body: { userId: user.id, name: 'bench' } })
  keys.push(key)
}

const body = JSON.parse(BARE_BODY)
const app = express().disable('x-powered-by').disable('etag')
app.get('/keys', (_req, res) => void res.json(keys))
app.get(BARE_PATH, (req, res, next) => {
  const key = req.headers.authorization?.slice('Bearer '.length) ?? ''
  auth.api
    .verifyApiKey({ body: { key } })
    .then(({ valid }) => (valid ? res.json(body) : res.status(401).end()))
    .catch(next)
})
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address()
  process.stdout.write(`${JSON.stringify({ msg: 'listening', port })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
