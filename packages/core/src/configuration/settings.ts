import * as parse from './parsers.ts'

/** One environment variable: its name, what it means, how its text is read. */
export interface Setting<T> {
  readonly variable: string
  readonly summary: string
  readonly parse: (text: string) => T
  /** The text that is read when the variable is unset. */
  readonly fallback?: string
  /** A word for the documents on what unset means, where there is no fallback text. */
  readonly unset?: string
}

interface RequiredSetting<T> extends Setting<T> {
  readonly required: true
}

const required = <T>(setting: Setting<T>): RequiredSetting<T> => ({ ...setting, required: true })
const defaulting = <T>(setting: Setting<T> & { fallback: string }) => setting
const optional = <T>(setting: Setting<T> & { unset: string }) => setting

/** The HTTP clients that can send webhooks. */
export const httpClientNames = ['got', 'node'] as const
export type HttpClientName = (typeof httpClientNames)[number]

/**
 * The one configuration schema (contract §6). The processes, `.env.example` and docs/configuration.md
 * are made from it.
 */
export const settings = {
  databaseUrl: required({
    variable: 'DATABASE_URL',
    summary: 'PostgreSQL, the truth: `postgresql://user:password@host:5432/database`.',
    parse: parse.secret(parse.url('postgresql:', 'postgres:')),
  }),
  databaseDirectUrl: optional({
    variable: 'DATABASE_DIRECT_URL',
    summary:
      'The same database without a pooler in between, for LISTEN, retention and migrations. Set it if `DATABASE_URL` leads to PgBouncer in transaction mode.',
    parse: parse.secret(parse.url('postgresql:', 'postgres:')),
    unset: '`DATABASE_URL` leads to PostgreSQL itself',
  }),
  databaseAppRole: optional({
    variable: 'DATABASE_APP_ROLE',
    summary:
      'Read by `npm run migrate` only: the role of the API and the worker. It is granted all that they need, and may add to the audit log but not change it.',
    parse: (text: string) => text,
    unset: 'the API and the worker connect as the role that migrates',
  }),
  databaseAppPassword: optional({
    variable: 'DATABASE_APP_PASSWORD',
    summary:
      'Read by `npm run migrate` only: the password of `DATABASE_APP_ROLE`, which is then made if it is missing.',
    parse: parse.secret((text: string) => text),
    unset: 'the role must exist, and keeps its password',
  }),
  redisNodes: required({
    variable: 'REDIS_URL',
    summary: 'Redis: `redis://host:6379`; several nodes are separated by commas.',
    parse: parse.secret(parse.redisNodes),
  }),
  redisMode: defaulting({
    variable: 'REDIS_MODE',
    summary:
      '`single`, `cluster` or `sentinel`. With `sentinel`, the path of the first URL names the master.',
    parse: parse.oneOf('single', 'cluster', 'sentinel'),
    fallback: 'single',
  }),
  sentinelPassword: optional({
    variable: 'REDIS_SENTINEL_PASSWORD',
    summary: 'The password of the Sentinels. Those in `REDIS_URL` are for Redis itself.',
    parse: parse.secret((text: string) => text),
    unset: 'the Sentinels ask for none',
  }),
  queueShards: optional({
    variable: 'QUEUE_SHARDS',
    summary:
      'Over how many queues in Redis each lane of deliveries is spread, so that the nodes of a cluster share the work. The same for all processes.',
    parse: parse.integer(1, 64),
    unset: '1, or 8 with `REDIS_MODE=cluster`',
  }),
  host: defaulting({
    variable: 'HOST',
    summary: 'The address that both ports listen on.',
    parse: (text: string) => text,
    fallback: '::',
  }),
  port: defaulting({
    variable: 'PORT',
    summary: 'The public port of the API.',
    parse: parse.integer(0, 65_535),
    fallback: '8080',
  }),
  internalPort: defaulting({
    variable: 'INTERNAL_PORT',
    summary:
      'The port of the internal listener (API), or of health, metrics and operations (worker). Never publish it.',
    parse: parse.integer(0, 65_535),
    fallback: '9090',
  }),
  publicUrl: optional({
    variable: 'PUBLIC_URL',
    summary: 'Where people reach the service, for links: `https://panel.example.com`.',
    parse: parse.publicUrl,
    unset: '`http://localhost:<PORT>`',
  }),
  sessionIdleMs: defaulting({
    variable: 'SESSION_IDLE_SECONDS',
    summary: 'How long a session in the panel lives without being used.',
    parse: parse.seconds(60, 30 * 86_400),
    fallback: '43200',
  }),
  sessionLifetimeMs: defaulting({
    variable: 'SESSION_LIFETIME_SECONDS',
    summary: 'How long a session in the panel lives at most, however much it is used.',
    parse: parse.seconds(60, 90 * 86_400),
    fallback: '604800',
  }),
  trustedProxies: defaulting({
    variable: 'TRUSTED_PROXIES',
    summary:
      'CIDRs of the proxies in front, comma-separated. Only from these is `X-Forwarded-For` believed.',
    parse: parse.networks,
    fallback: '',
  }),
  internalTokens: defaulting({
    variable: 'INTERNAL_TOKENS',
    summary:
      'SHA-256 hashes in hex of the service tokens of the internal listener, comma-separated.',
    parse: parse.tokenHashes,
    fallback: '',
  }),
  logLevel: defaulting({
    variable: 'LOG_LEVEL',
    summary: 'The least severe log line that is written.',
    parse: parse.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    fallback: 'info',
  }),
  secretsKeyring: optional({
    variable: 'SECRETS_KEYRING',
    summary:
      'The keys of the secrets store, `<id>:<base64 of 32 bytes>`, comma-separated. The first encrypts, all decrypt.',
    parse: parse.secret(parse.keyring),
    unset: 'no secrets store; webhooks answer 503',
  }),
  serverSecrets: optional({
    variable: 'SERVER_SECRET',
    summary:
      'The key of keyed hashes, such as those of API keys: 32 bytes or more in base64. To rotate it, list `<id>:<base64>`, comma-separated: the first makes hashes, all verify them.',
    parse: parse.secret(parse.serverSecrets),
    unset: 'made once and kept in the database',
  }),
  auditKey: optional({
    variable: 'AUDIT_KEY',
    summary:
      'The key of the hash chains of the audit log: 32 bytes or more in base64. Set it before the first start, or with the upgrade to this release: a chain made with another key counts as forged.',
    parse: parse.secret(parse.serverSecret),
    unset: 'derived from `SERVER_SECRET`',
  }),
  ownNetworks: optional({
    variable: 'OWN_NETWORKS',
    summary:
      "CIDRs of the service's own networks, comma-separated. Webhooks are never sent there, whatever is allowed.",
    parse: parse.networks,
    unset: "the machine's own non-loopback addresses",
  }),
  allowedNetworks: defaulting({
    variable: 'WEBHOOK_ALLOWED_NETWORKS',
    summary:
      'CIDRs treated as public, comma-separated: for tests and private installations. While set, `http:` URLs and names without a dot may be saved, and reach only these networks.',
    parse: parse.networks,
    fallback: '',
  }),
  retryDelaysMs: defaulting({
    variable: 'WEBHOOK_RETRY_DELAYS_SECONDS',
    summary: 'The delays before each retry of a delivery.',
    parse: parse.retryDelays,
    fallback: '60,300,1800,7200,21600,43200',
  }),
  attemptTimeoutMs: defaulting({
    variable: 'WEBHOOK_TIMEOUT_SECONDS',
    summary: 'The deadline of an attempt, over name, connection, TLS, headers and body.',
    parse: parse.seconds(0.1, 60),
    fallback: '10',
  }),
  httpClient: defaulting({
    variable: 'WEBHOOK_HTTP_CLIENT',
    summary:
      "What sends webhooks: `got`, or `node`, Node's own client, which takes about a third of the CPU time. Both have the same guard, deadline and limits.",
    parse: parse.oneOf(...httpClientNames),
    fallback: 'got',
  }),
  jobHoldMs: defaulting({
    variable: 'WEBHOOK_JOB_HOLD_SECONDS',
    summary:
      'How long a due attempt is left to its job in Redis. If none has made it by then, the job is taken for lost and made anew from PostgreSQL.',
    parse: parse.seconds(0.1, 600),
    fallback: '15',
  }),
  listenHeartbeatMs: defaulting({
    variable: 'LISTEN_HEARTBEAT_SECONDS',
    summary:
      'How often a stream of `GET /webhooks/listen` says that it lives, and its caller is judged anew. Three times this is how long the place of a killed process stays taken. The same for all processes.',
    parse: parse.seconds(0.1, 60),
    fallback: '15',
  }),
  workerConcurrency: defaulting({
    variable: 'WORKER_CONCURRENCY',
    summary:
      'How many attempts one worker process has in hand at a time, in each of its two lanes.',
    parse: parse.integer(1, 1_000),
    fallback: '100',
  }),
  endpointConcurrency: defaulting({
    variable: 'WEBHOOK_ENDPOINT_CONCURRENCY',
    summary:
      'How many attempts to one endpoint may be in hand at a time; a fifth of it while the endpoint is in the slow lane.',
    parse: parse.integer(1, 1_000),
    fallback: '25',
  }),
  jobLockMs: defaulting({
    variable: 'WORKER_LOCK_SECONDS',
    summary:
      'How long a job in Redis stays with a worker that no longer says it lives. The attempt itself is safe: PostgreSQL says who may make it.',
    parse: parse.seconds(0.5, 600),
    fallback: '10',
  }),
  opsToken: optional({
    variable: 'OPS_TOKEN',
    summary:
      "The password of the operators' pages on the worker's internal port, `/operations` and Bull Board at `/queues`; any user name will do.",
    parse: parse.secret((text: string) => text),
    unset: "the operators' pages are off",
  }),
  tracesEndpoint: optional({
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    summary:
      "Where traces are sent, by OTLP over HTTP with JSON: `http://collector:4318`. The standard's further variables for the exporter (`OTEL_EXPORTER_OTLP_HEADERS` and others), and `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`, are read by the SDK of OpenTelemetry itself.",
    parse: parse.publicUrl,
    unset: 'no traces',
  }),
  tracesSampler: defaulting({
    variable: 'OTEL_TRACES_SAMPLER',
    summary: 'Which traces are kept: the name of a sampler of the OpenTelemetry standard.',
    parse: parse.oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    fallback: 'parentbased_always_on',
  }),
  tracesSamplerRatio: defaulting({
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    summary: 'Of a sampler by ratio, the share of traces that is kept.',
    parse: parse.ratio,
    fallback: '1',
  }),
}

/** The configuration as its processes see it. */
export type Config = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends
    { required: true } | { fallback: string }
    ? ReturnType<(typeof settings)[Name]['parse']>
    : ReturnType<(typeof settings)[Name]['parse']> | undefined
}
