import { deliveryDescriptions } from './delivery-descriptions.ts'
import type { Description } from './description.ts'

/** The descriptions of all benchmarks. */
export const descriptions = {
  auth: {
    title: 'The gate',
    text: `The same JSON response (\`GET /api/v1/tenant/edition\`) from plain Express 5, from the API without credentials,
and from the API with a key that is in its caches. With a key, the API checks format, secret, expiry, allowlist, scopes,
role and rate limit on every request. There is one server process each, in alternating rounds, and one load process with
50 keep-alive connections. Responses that wait for the same call to Redis are written together, which wakes the load process
less often and saves time in the kernel. The time outside the kernel shows the cost of the gate itself.`,
    sections: {
      gate: {
        title: 'A request',
        rows: {
          bare_express: 'Express 5',
          no_credentials: 'The API, without credentials',
          warm_key: 'Through the gate',
        },
        columns: {
          requests: 'Requests',
          ratio: 'Relative to Express',
          p50: 'p50',
          p99: 'p99',
          cpu: 'CPU per request',
          user_cpu: 'Outside the kernel',
          not_200: 'Statuses other than 200',
        },
        chart: {
          title: 'Requests per second, and × Express',
          columns: ['requests'],
          ratios: { requests: 'ratio' },
        },
      },
      work: {
        title: 'What a request costs Redis and PostgreSQL',
        text: `The servers count these themselves. Requests of one turn of the event loop share a call to Redis. The use of
keys is written every two seconds, in one transaction, whatever the load.`,
        rows: { warm_key: 'Through the gate' },
        columns: {
          redis_round_trips: 'Redis calls per request',
          sql_transactions: 'SQL transactions per request',
          sql_transactions_in_all: 'SQL transactions in total',
          requests_in_all: 'Requests in total',
        },
      },
    },
  },
  ...deliveryDescriptions,
  history: {
    title: 'A long history',
    text: `The delivery list and a single record over HTTP, one request at a time, for an organization with ten thousand
deliveries and for one with three million. Each has its own database and API process; the rounds alternate. The percentiles
are over all requests of a kind, and the ratios are those of the percentiles.`,
    sections: {
      reads: {
        title: 'Reading',
        rows: {
          first_page: 'First page',
          deep_page: 'A page 1,000 pages deep',
          single_record: 'Single record',
          status_dead: 'Filter: status',
          rare_event_type: 'Filter: rare event type',
          event_id: 'Filter: event id',
        },
        columns: {
          p50_small: 'p50 of 10 thousand',
          p50_large: 'p50 of 3 million',
          p50_ratio: 'p50, 3 million relative to 10 thousand',
          p95_small: 'p95 of 10 thousand',
          p95_large: 'p95 of 3 million',
          p95_ratio: 'p95, 3 million relative to 10 thousand',
        },
        chart: {
          title: 'Milliseconds per response, p50, and × ten thousand',
          columns: ['p50_small', 'p50_large'],
          ratios: { p50_large: 'p50_ratio' },
        },
      },
      load: {
        title:
          'Another organization, while a million deliveries wait and one key makes 20 concurrent expensive reads',
        rows: {
          baseline: 'List of the other organization, no other load',
          beside: 'List of the other organization, beside the reads',
          slowest_of_busy: 'The expensive reads, one at a time',
        },
        columns: { p50: 'p50', p99: 'p99' },
        chart: { title: 'Milliseconds per response', columns: ['p50', 'p99'] },
      },
      drop: {
        title: 'Dropping a day of a million attempts during writes',
        rows: { day: 'The day' },
        columns: {
          attempts: 'Attempts',
          took: 'Took',
          longest_write: 'Longest write during the drop',
          longest_write_before: 'Longest write before',
          writes: 'Writes during the drop',
        },
      },
    },
  },
  'sign-ins': {
    title: 'Key requests during a storm of sign-ins',
    text: `\`GET /api/v1/tenant/edition\` with keys, 100 times per second, with no other load and during 480 concurrent
sign-ins from 24 addresses with unknown email addresses. There is one API process, which hashes one password at a time on
this machine. The time of a request starts when it is due. Only requests that are due before the last response to the storm
count. The load and the storm are separate processes on the same cores.`,
    sections: {
      latency: {
        title: 'Key requests',
        rows: {
          baseline: 'No other load',
          first_storm: 'First storm after the start',
          new_connections: 'Warm, new connections',
          kept_connections: 'Warm, open connections',
          forms: 'Warm, form of the panel',
        },
        columns: {
          p50: 'p50',
          p99: 'p99',
          longest: 'Longest',
          refused: 'Sign-ins refused with 503',
          took: 'Duration of the storm',
        },
        chart: { title: 'Milliseconds per key request', columns: ['p50', 'p99'] },
      },
    },
  },
  senders: {
    title: 'HTTP clients',
    text: `HTTP clients that could send deliveries, each with the same guard against private addresses, the same deadline
and the same second try. Each is a separate process, in alternating rounds, with 50 concurrent requests to one receiver. The
service uses got, or Node's own client with \`WEBHOOK_HTTP_CLIENT=node\`.`,
    sections: {
      clients: {
        title: 'A request',
        rows: { got: 'got', node: "Node's own client", undici: 'undici' },
        columns: {
          requests: 'Requests',
          speed_to_got: 'Requests, relative to got',
          cpu: 'CPU per request',
          cpu_to_got: 'CPU, relative to got',
          errors: 'Errors',
        },
        chart: {
          title: 'Requests per second, and × got',
          columns: ['requests'],
          ratios: { requests: 'speed_to_got' },
        },
      },
    },
  },
  rivals: {
    title: 'The gate beside better-auth',
    text: `The same response with the API keys of better-auth, a sign-in library, in PostgreSQL (its default) and in
Redis only. The rate limit is the same: 600 requests per minute and key. The checks differ: better-auth has no allowlist of
addresses and no roles of the owner. It reads and writes the key on every request, while the gate caches keys until they
change and counts in Redis. PostgreSQL does not wait for the disk here, which favors a library that writes. CPU is that of the
server process only. \`npm run bench\` skips this benchmark, because it installs 24 npm packages into bench/rivals.`,
    sections: {
      keys: {
        title: 'A request with a valid key',
        rows: {
          bare_express: 'Express 5',
          gate: 'Through the gate',
          better_auth_postgres: 'better-auth, in PostgreSQL',
          better_auth_redis: 'better-auth, in Redis',
        },
        columns: {
          requests: 'Requests',
          gate_ratio: 'The gate, relative to this',
          p50: 'p50',
          p99: 'p99',
          cpu: 'CPU per request',
          not_200: 'Statuses other than 200',
        },
        chart: { title: 'Requests per second', columns: ['requests'] },
      },
    },
  },
} as const satisfies Readonly<Record<string, Description>>

export type BenchmarkName = keyof typeof descriptions
