import { retryDelaysSecondsDefault } from '../webhooks/retries.ts'
import { brandSettings } from './brand-settings.ts'
import { contactSettings, mailSettings } from './mail-settings.ts'
import { databaseSettings } from './database-settings.ts'
import { identityProviderSettings } from './identity-provider-settings.ts'
import * as parse from './parsers.ts'
import { defaulting, optional, required } from './setting.ts'

/**
 * The configuration schema (docs/specification/operations.md#configuration). The processes read it, and
 * `.env.example` and docs/generated/configuration.md are generated from it.
 */
export const settings = {
  ...databaseSettings,
  redisNodes: required({
    variable: 'REDIS_URL',
    namesHost: true,
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
    summary: 'The password of the Sentinels. The credentials in `REDIS_URL` are those of Redis.',
    parse: parse.secret((text: string) => text),
    unset: 'the Sentinels have no password',
  }),
  queueShards: optional({
    variable: 'QUEUE_SHARDS',
    summary:
      'The number of queues in Redis that each lane of deliveries is spread over, so that the nodes of a cluster share the work. Use the same value for all processes.',
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
      "The port of the internal API (API), or of health and metrics (worker), and of the operators' pages (both). Never publish it.",
    parse: parse.integer(0, 65_535),
    fallback: '9090',
  }),
  publicUrl: optional({
    variable: 'PUBLIC_URL',
    summary: 'The URL at which people reach the service, for links: `https://panel.example.com`.',
    parse: parse.publicUrl,
    unset: '`http://localhost:<PORT>`',
  }),
  sessionIdleMs: defaulting({
    variable: 'SESSION_IDLE_SECONDS',
    readBy: 'api',
    summary: 'How long an unused panel session is valid.',
    parse: parse.seconds(60, 30 * 86_400),
    fallback: '43200',
  }),
  sessionLifetimeMs: defaulting({
    variable: 'SESSION_LIFETIME_SECONDS',
    readBy: 'api',
    summary: 'How long a panel session is valid in total, even if it is used.',
    parse: parse.seconds(60, 90 * 86_400),
    fallback: '604800',
  }),
  trustedProxies: defaulting({
    variable: 'TRUSTED_PROXIES',
    readBy: 'api',
    summary:
      'CIDRs of your proxies, comma-separated. `X-Forwarded-For` is trusted only from these.',
    parse: parse.networks,
    fallback: '',
  }),
  internalTokens: defaulting({
    variable: 'INTERNAL_TOKENS',
    readBy: 'api',
    summary:
      'SHA-256 hashes in hex of the service tokens of the internal API, comma-separated. `<name>:<hash>` names the service for the audit log.',
    parse: parse.serviceTokens,
    fallback: '',
  }),
  logLevel: defaulting({
    variable: 'LOG_LEVEL',
    summary: 'The lowest level of the log lines that are written.',
    parse: parse.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    fallback: 'info',
  }),
  secretsKeyring: optional({
    variable: 'SECRETS_KEYRING',
    summary:
      'The keys of the secrets store, `<id>:<base64 of 32 bytes>`, comma-separated. The first encrypts; all decrypt.',
    parse: parse.secret(parse.keyring),
    unset: 'no secrets store; webhooks return 503',
  }),
  serverSecrets: optional({
    variable: 'SERVER_SECRET',
    summary:
      'The key of keyed hashes, such as those of API keys: 32 bytes or more in base64. To rotate it, list `<id>:<base64>`, comma-separated: the first makes new hashes, and all verify them.',
    parse: parse.secret(parse.serverSecrets),
    unset: 'generated once and stored in the database',
  }),
  auditKey: optional({
    variable: 'AUDIT_KEY',
    readBy: 'worker',
    summary:
      'The key of the hash chains of the audit log: 32 bytes or more in base64. Set it before the first start: a chain that was made with another key counts as forged.',
    parse: parse.secret(parse.serverSecret),
    unset: 'derived from `SERVER_SECRET`',
  }),
  ownNetworks: optional({
    variable: 'OWN_NETWORKS',
    summary:
      "CIDRs of the service's own networks, comma-separated. Webhooks are never sent there, even if `WEBHOOK_ALLOWED_NETWORKS` contains them.",
    parse: parse.policyNetworks,
    unset: "the machine's own non-loopback addresses",
  }),
  allowedNetworks: defaulting({
    variable: 'WEBHOOK_ALLOWED_NETWORKS',
    summary:
      'CIDRs that are treated as public, comma-separated, for tests and private installations. While set, `http:` URLs and names without a dot can be saved, and reach only these networks.',
    parse: parse.policyNetworks,
    fallback: '',
  }),
  retryDelaysMs: defaulting({
    variable: 'WEBHOOK_RETRY_DELAYS_SECONDS',
    summary: 'The delay before each retry of a delivery, in seconds, comma-separated.',
    parse: parse.retryDelays,
    fallback: retryDelaysSecondsDefault.join(','),
  }),
  attemptTimeoutMs: defaulting({
    variable: 'WEBHOOK_TIMEOUT_SECONDS',
    summary:
      'The deadline of an attempt, including the name lookup, connection, TLS, headers and body.',
    parse: parse.seconds(0.1, 60),
    fallback: '10',
  }),
  jobHoldMs: defaulting({
    variable: 'WEBHOOK_JOB_HOLD_SECONDS',
    summary:
      'How long a due attempt waits for its job in Redis. After that, the job is considered lost and is created again from PostgreSQL.',
    parse: parse.seconds(0.1, 600),
    fallback: '15',
  }),
  listenHeartbeatMs: defaulting({
    variable: 'LISTEN_HEARTBEAT_SECONDS',
    readBy: 'api',
    summary:
      'How often a stream of `GET /webhooks/listen` sends a heartbeat and its caller is checked again. The slots of a killed process stay occupied for three times as long. Use the same value for all processes.',
    parse: parse.seconds(0.1, 60),
    fallback: '15',
  }),
  workerConcurrency: defaulting({
    variable: 'WORKER_CONCURRENCY',
    readBy: 'worker',
    summary: 'The number of slots of a worker process in each of its two lanes.',
    parse: parse.integer(1, 1_000),
    fallback: '100',
  }),
  endpointConcurrency: defaulting({
    variable: 'WEBHOOK_ENDPOINT_CONCURRENCY',
    readBy: 'worker',
    summary:
      'The number of slots of an endpoint, that is, of concurrent attempts to it. In the slow lane, an endpoint has a fifth of them.',
    parse: parse.integer(1, 1_000),
    fallback: '25',
  }),
  opsToken: optional({
    variable: 'OPS_TOKEN',
    summary:
      "The password of the operators' pages on the internal ports: `/operations`, and on workers Bull Board at `/queues`. Any user name is accepted.",
    parse: parse.secret((text: string) => text),
    unset: "the operators' pages are disabled",
  }),
  ...mailSettings,
  tracesEndpoint: optional({
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    namesHost: true,
    summary:
      'The collector that receives traces as OTLP over HTTP with JSON: `http://collector:4318`. The OpenTelemetry SDK reads the other standard variables of the exporter (such as `OTEL_EXPORTER_OTLP_HEADERS`), `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.',
    parse: parse.baseUrl,
    unset: 'no traces',
  }),
  tracesSampler: defaulting({
    variable: 'OTEL_TRACES_SAMPLER',
    summary: 'The name of an OpenTelemetry sampler, which decides which traces are kept.',
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
    summary: 'For a ratio sampler, the share of traces that is kept.',
    parse: parse.ratio,
    fallback: '1',
  }),
  ...contactSettings,
  ...identityProviderSettings,
  ...brandSettings,
}

/** The parsed configuration of a process. */
export type Config = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends
    | { required: true }
    | { fallback: string }
    ? ReturnType<(typeof settings)[Name]['parse']>
    : ReturnType<(typeof settings)[Name]['parse']> | undefined
}
