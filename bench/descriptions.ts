/** The text about a benchmark: docs/performance.md is generated from this and from bench/results.json. */
export interface Description {
  readonly title: string
  /** What is measured, against what, and how. */
  readonly text: string
  /** By section of its figures. */
  readonly sections: Readonly<Record<string, Section>>
}

/** A table of figures, and optionally a chart of some of them. */
export interface Section {
  readonly title: string
  readonly text?: string
  readonly rows: Labels
  readonly columns: Labels
  readonly chart?: Chart
}

/** The labels on the page, by name in the figures; in this order. */
export type Labels = Readonly<Record<string, string>>

/** Bars for some columns of every row. */
export interface Chart {
  readonly title: string
  readonly columns: readonly string[]
  /** By charted column: the column whose ratio is shown next to its bar. */
  readonly ratios?: Labels
}

const latencyColumns = { p50: 'p50', p95: 'p95', p99: 'p99' }
const cpuColumns = {
  cpu_api: 'CPU: API',
  cpu_worker: 'CPU: worker',
  cpu_postgres: 'CPU: PostgreSQL',
  cpu_redis: 'CPU: Redis',
}
const pipelineColumns = { published: 'Published', delivered: 'Delivered', ...cpuColumns }
const pipelineRows = { bare: 'BullMQ and got alone', full: 'The service' }

const singleRows = {
  bare: 'Express, BullMQ and got',
  full: 'The service, with got',
  fast: "The service, with Node's HTTP client",
}

/** The descriptions of all benchmarks. */
export const descriptions = {
  auth: {
    title: 'The gate',
    text: `The same JSON answer (\`GET /api/v1/tenant/edition\`) from Express 5 with nothing around it, and from
the API with a key that its caches know: format, secret, expiry, allow-list, scopes, role and rate limit are
checked on every request. One server process each, in turns; one load process, 50 kept connections.`,
    sections: {
      gate: {
        title: 'A request',
        rows: { bare_express: 'Express 5 alone', warm_key: 'Through the gate' },
        columns: {
          requests: 'Requests',
          ratio: 'To Express alone',
          p50: 'p50',
          p99: 'p99',
          cpu: 'CPU a request',
          not_200: 'Not answered 200',
        },
        chart: {
          title: 'Requests a second, and × Express alone',
          columns: ['requests'],
          ratios: { requests: 'ratio' },
        },
      },
      work: {
        title: 'What a request costs the servers behind',
        text: `By the servers' own counts. Requests of one turn of the event loop share a call to Redis. The uses
of keys are written every two seconds, in a transaction that does not grow with the load.`,
        rows: { warm_key: 'Through the gate' },
        columns: {
          redis_round_trips: 'Redis calls a request',
          sql_transactions: 'SQL transactions a request',
          sql_transactions_in_all: 'SQL transactions in all',
          requests_in_all: 'Requests in all',
        },
      },
    },
  },
  deliver: {
    title: 'Deliveries',
    text: `From the publisher to the receiver: one API process, one worker, PostgreSQL that writes to the disk,
Redis and the receiver on one machine. Events of about 450 bytes, an endpoint for each organization, every
delivery signed and every attempt recorded. Against BullMQ and got with nothing around them: no database, no
signature, no guard, nothing that survives an emptied Redis. CPU is processor time a delivery.`,
    sections: {
      sustained: {
        title: 'Sustained',
        text: 'The publisher waits while 500 events are on their way, so what goes out is what comes in.',
        rows: pipelineRows,
        columns: { ...pipelineColumns, ratio: 'Delivered, to BullMQ and got' },
        chart: {
          title: 'Deliveries a second, sustained, and × BullMQ and got alone',
          columns: ['delivered'],
          ratios: { delivered: 'ratio' },
        },
      },
      burst: {
        title: 'Burst',
        text: 'All events of a round at once, so that most wait: in PostgreSQL, or in the queue of the other.',
        rows: pipelineRows,
        columns: { ...pipelineColumns, ratio: 'Delivered, to BullMQ and got' },
        chart: {
          title: 'Deliveries a second, in a burst, and × BullMQ and got alone',
          columns: ['delivered'],
          ratios: { delivered: 'ratio' },
        },
      },
      steady: {
        title: 'Time from publisher to receiver, at a steady rate',
        rows: {
          bare_at_100: 'BullMQ and got, 100/s',
          full_at_100: 'The service, 100/s',
          bare_at_300: 'BullMQ and got, 300/s',
          full_at_300: 'The service, 300/s',
        },
        columns: latencyColumns,
        chart: { title: 'Milliseconds from publisher to receiver', columns: ['p50', 'p99'] },
      },
      profile: {
        title: "Where the worker's time goes",
        text: `By V8's CPU profile of a worker of its own, in shares of its busy time. What Node does itself counts
for the part that called it.`,
        rows: {
          got: 'got',
          bullmq: 'BullMQ and ioredis',
          node: 'Node, called by nothing below',
          postgres: 'pg',
          garbage: 'Garbage collection',
          ours: 'The service itself',
          signing: 'Signing',
          'metrics and log': 'Metrics and log',
        },
        columns: { share: 'Share' },
        chart: { title: "Share of the worker's busy time", columns: ['share'] },
      },
    },
  },
  singles: {
    title: 'Single events',
    text: `Like the deliveries above, but each event is published by one request, over 50 connections. This is how a
platform publishes events as they happen. The comparison is one route of Express 5 that adds one BullMQ job per event, and
a worker that sends each job with got, and nothing else. CPU is processor time per delivery.`,
    sections: {
      sustained: {
        title: 'Sustained, one event per request',
        text: 'The publishers wait while 500 events are in transit.',
        rows: singleRows,
        columns: { ...pipelineColumns, ratio: 'Delivered, relative to Express, BullMQ and got' },
        chart: {
          title: 'Deliveries per second, one event per request, and × Express, BullMQ and got',
          columns: ['delivered'],
          ratios: { delivered: 'ratio' },
        },
      },
      burst: {
        title: 'Burst, one event per request',
        rows: singleRows,
        columns: { ...pipelineColumns, ratio: 'Delivered, relative to Express, BullMQ and got' },
      },
      steady: {
        title: 'Time from publisher to receiver, one event per request',
        rows: {
          bare_at_100: 'Express, BullMQ and got, 100/s',
          full_at_100: 'The service, with got, 100/s',
          fast_at_100: "The service, with Node's HTTP client, 100/s",
          bare_at_300: 'Express, BullMQ and got, 300/s',
          full_at_300: 'The service, with got, 300/s',
          fast_at_300: "The service, with Node's HTTP client, 300/s",
        },
        columns: { ...latencyColumns, ...cpuColumns },
      },
      rest: {
        title: 'Processor time per second while nothing is published',
        rows: singleRows,
        columns: cpuColumns,
      },
      memory: {
        title: 'Memory of the API and the worker together',
        rows: { at_start: 'After the start', after_load: 'After all rounds' },
        columns: { full: 'With got', fast: "With Node's HTTP client" },
      },
    },
  },
  fairness: {
    title: 'Fairness',
    text: `How long an organization's events take to its healthy endpoint, at a steady rate: alone, and beside
another organization with thousands of events for an endpoint that takes ten seconds to answer.`,
    sections: {
      latency: {
        title: 'Time from publisher to receiver',
        text: 'One run each, one after the other.',
        rows: {
          alone: 'Alone',
          while_published: "While the other's are published",
          while_waiting: "While the other's wait",
        },
        columns: latencyColumns,
        chart: { title: 'Milliseconds from publisher to receiver', columns: ['p50', 'p99'] },
      },
      outcome: {
        title: 'What the other costs',
        text: 'What is allowed is a fifth of p99 alone and 20 ms.',
        rows: { healthy: 'The healthy organization' },
        columns: {
          p99_rise: 'Rise of p99',
          allowed_rise: 'Allowed',
          still_waiting: "The other's deliveries before their first attempt, at the end",
        },
      },
    },
  },
  hostile: {
    title: 'Hostile receivers',
    text: `How long an organization's events take to its healthy endpoint, at a steady rate: alone, and beside five
endpoints that stream \`HTTP/1.1 102 Processing\` without end, each sent ten events a second.`,
    sections: {
      latency: {
        title: 'Time from publisher to receiver',
        text: 'One run each, one after the other.',
        rows: { alone: 'Alone', beside: 'Beside five hostile receivers' },
        columns: latencyColumns,
        chart: { title: 'Milliseconds from publisher to receiver', columns: ['p50', 'p99'] },
      },
      outcome: {
        title: 'What they cost',
        text: 'The limit is a fifth of p99 alone and 20 ms.',
        rows: { healthy: 'The healthy organization' },
        columns: {
          p99_rise: 'Rise of p99',
          allowed_rise: 'Allowed',
          refused: 'Attempts ended as protocol_error',
        },
      },
    },
  },
  backlog: {
    title: 'A long backlog',
    text: `Two systems apart, one empty and one with a million deliveries that wait for their retries, in turns:
bursts of events through each. Redis holds what is due now; what waits is in PostgreSQL. CPU is processor time a
delivery; PostgreSQL and Redis serve both systems.`,
    sections: {
      speed: {
        title: 'Speed',
        rows: { empty: 'Empty', full: 'A million wait' },
        columns: {
          ...pipelineColumns,
          publish_ratio: 'Published, to empty',
          delivery_ratio: 'Delivered, to empty',
        },
        chart: {
          title: 'Events a second, and × the empty system',
          columns: ['published', 'delivered'],
          ratios: { published: 'publish_ratio', delivered: 'delivery_ratio' },
        },
      },
      batches: {
        title: 'A batch of 100 attempts in PostgreSQL, a million waiting',
        rows: { take: 'Find what is due', claim: 'Claim', record: 'Record' },
        columns: { p50: 'p50', p99: 'p99' },
        chart: { title: 'Milliseconds a batch', columns: ['p50', 'p99'] },
      },
      memory: {
        title: 'Memory of Redis, a million waiting',
        rows: { redis: 'Both systems' },
        columns: { used: 'Used' },
      },
    },
  },
  outage: {
    title: 'After an outage',
    text: `One worker drains what became due while nothing was delivered: many tenants with one endpoint and ten
deliveries each, and a tenth as many tenants with a hundred each. Beside it what the same machine sustains in the same
run. The drain is counted from the first delivery that arrives to the last.`,
    sections: {
      speed: {
        title: 'Speed',
        rows: {
          sustained: 'Sustained, as published',
          wide: '10,000 tenants, 10 deliveries each',
          deep: '1,000 tenants, 100 deliveries each',
        },
        columns: { delivered: 'Delivered', ratio: 'To sustained' },
        chart: {
          title: 'Deliveries a second, and × sustained',
          columns: ['delivered'],
          ratios: { delivered: 'ratio' },
        },
      },
    },
  },
  history: {
    title: 'A long history',
    text: `The delivery list and a single record over HTTP, one request at a time: of an organization with ten
thousand deliveries and of one with three million, each with a database and an API process of its own, in turns.
The percentiles are of all requests of a kind, and the ratios of those percentiles.`,
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
          p50_ratio: 'p50, 3 million to 10 thousand',
          p95_small: 'p95 of 10 thousand',
          p95_large: 'p95 of 3 million',
          p95_ratio: 'p95, 3 million to 10 thousand',
        },
        chart: {
          title: 'Milliseconds an answer, p50, and × ten thousand',
          columns: ['p50_small', 'p50_large'],
          ratios: { p50_large: 'p50_ratio' },
        },
      },
      load: {
        title:
          'Another organization, a million deliveries waiting and 20 expensive reads of one key at once',
        rows: {
          alone: "The other's list, alone",
          beside: "The other's list, beside the reads",
          slowest_of_busy: 'The expensive reads, one at a time',
        },
        columns: { p50: 'p50', p99: 'p99' },
        chart: { title: 'Milliseconds an answer', columns: ['p50', 'p99'] },
      },
      drop: {
        title: 'Dropping a day of a million attempts, while others write',
        rows: { day: 'The day' },
        columns: {
          attempts: 'Attempts',
          took: 'Took',
          longest_write: 'Longest write meanwhile',
          longest_write_before: 'Longest write before',
          writes: 'Writes meanwhile',
        },
      },
    },
  },
  'sign-ins': {
    title: 'Key requests beside a storm of sign-ins',
    text: `\`GET /api/v1/tenant/edition\` with keys, 100 times a second, alone and beside 480 sign-ins at once from 24
addresses, of people whom nobody knows. One API process, which hashes one password at a time on this machine. A request
counts from the moment at which it is due until its response; those beside a storm are the ones due before the storm's
last response. The load and the storm are a process each, on the same cores.`,
    sections: {
      latency: {
        title: 'Key requests',
        rows: {
          alone: 'Alone',
          first_storm: 'First storm after the start, new connections',
          new_connections: 'Warm, new connections',
          kept_connections: 'Warm, kept connections',
          forms: "Warm, the panel's form, new connections",
        },
        columns: {
          p50: 'p50',
          p99: 'p99',
          longest: 'Longest',
          refused: 'Sign-ins that got 503',
          took: 'Storm took',
        },
        chart: { title: 'Milliseconds a key request', columns: ['p50', 'p99'] },
      },
    },
  },
  senders: {
    title: 'HTTP clients',
    text: `What could send the deliveries, each with the same guard against private addresses, the same deadline
and the same second try: a process each, in turns, 50 requests at a time, to one receiver. The service uses got, or
Node's own client with \`WEBHOOK_HTTP_CLIENT=node\`.`,
    sections: {
      clients: {
        title: 'A request',
        rows: { got: 'got', node: "Node's own client", undici: 'undici' },
        columns: {
          requests: 'Requests',
          speed_to_got: 'Requests, to got',
          cpu: 'CPU a request',
          cpu_to_got: 'CPU, to got',
          errors: 'Errors',
        },
        chart: {
          title: 'Requests a second, and × got',
          columns: ['requests'],
          ratios: { requests: 'speed_to_got' },
        },
      },
    },
  },
  rivals: {
    title: 'The gate beside better-auth',
    text: `The same answer once more, behind the API keys of better-auth, a library for sign-in: in PostgreSQL, as it
does by default, and in Redis alone. The rate limit is the same, 600 requests a minute for each key. What is checked
is not: it knows no allow-list of addresses and no role of the owner. And it reads and writes the key on every
request, while the gate holds keys in caches, which a change empties, and counts in Redis. PostgreSQL does not wait
for the disk here, which favours who writes. CPU is that of the answering process alone. \`npm run bench\` leaves this
out, since it installs 24 packages of npm into bench/rivals.`,
    sections: {
      keys: {
        title: 'A request with a valid key',
        rows: {
          bare_express: 'Express 5 alone',
          gate: 'Through the gate',
          better_auth_postgres: 'better-auth, in PostgreSQL',
          better_auth_redis: 'better-auth, in Redis',
        },
        columns: {
          requests: 'Requests',
          gate_ratio: 'The gate, to this',
          p50: 'p50',
          p99: 'p99',
          cpu: 'CPU a request',
          not_200: 'Not answered 200',
        },
        chart: { title: 'Requests a second', columns: ['requests'] },
      },
    },
  },
} as const satisfies Readonly<Record<string, Description>>

export type BenchmarkName = keyof typeof descriptions
