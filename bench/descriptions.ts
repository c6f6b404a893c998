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
const pipelineRows = { bare: 'BullMQ and got', full: 'The service' }

const singleRows = {
  bare: 'Express, BullMQ and got',
  full: 'The service, with got',
  fast: "The service, with Node's HTTP client",
}

/** The descriptions of all benchmarks. */
export const descriptions = {
  auth: {
    title: 'The gate',
    text: `The same JSON response (\`GET /api/v1/tenant/edition\`) from plain Express 5, from the API without credentials,
and from the API with a key that is in its caches. With a key, the API checks format, secret, expiry, allow-list, scopes, role and rate limit on every request.
There is one server process each, in alternating rounds, and one load process with 50 keep-alive connections.`,
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
          gate_cpu: 'CPU of the gate',
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
  deliver: {
    title: 'Deliveries',
    text: `From the publisher to the receiver, with one API process, one worker, PostgreSQL that writes to the disk,
Redis and the receiver on one machine. Events have about 450 bytes, each organization has one endpoint, every delivery is
signed and every attempt is recorded. The comparison is plain BullMQ and got: no database, no signature, no guard against
private addresses, and nothing that survives the loss of Redis' data. CPU is processor time per delivery.`,
    sections: {
      sustained: {
        title: 'Sustained',
        text: 'The publisher waits while 500 events are in transit.',
        rows: pipelineRows,
        columns: { ...pipelineColumns, ratio: 'Delivered, relative to BullMQ and got' },
        chart: {
          title: 'Deliveries per second, sustained, and × BullMQ and got',
          columns: ['delivered'],
          ratios: { delivered: 'ratio' },
        },
      },
      burst: {
        title: 'Burst',
        text: 'All events of a round are published at once, so that most of them wait, in PostgreSQL or in the queue.',
        rows: pipelineRows,
        columns: { ...pipelineColumns, ratio: 'Delivered, relative to BullMQ and got' },
        chart: {
          title: 'Deliveries per second, in a burst, and × BullMQ and got',
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
        text: `From V8's CPU profile of a separate worker, as shares of its busy time. Node's own functions count for the part
that called them.`,
        rows: {
          got: 'got',
          bullmq: 'BullMQ and ioredis',
          node: 'Node, called by none of the others',
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
    text: `How long the events of an organization take to its healthy endpoint, at a steady rate: with no other load,
and while another organization has thousands of events for an endpoint that takes ten seconds to respond.`,
    sections: {
      latency: {
        title: 'Time from publisher to receiver',
        text: 'One run each, in sequence.',
        rows: {
          baseline: 'No other load',
          while_published: 'While the other publishes',
          while_waiting: "While the other's events wait",
        },
        columns: latencyColumns,
        chart: { title: 'Milliseconds from publisher to receiver', columns: ['p50', 'p99'] },
      },
      outcome: {
        title: 'Effect of the other organization',
        text: 'The limit is a fifth of p99 with no other load, plus 20 ms.',
        rows: { healthy: 'The healthy organization' },
        columns: {
          p99_rise: 'Rise of p99',
          allowed_rise: 'Allowed',
          still_waiting:
            'Deliveries of the other organization that wait for their first attempt, at the end',
        },
      },
    },
  },
  throttle: {
    title: 'Rate limits',
    text: `How long the events of an organization take to its endpoint without a limit, at a steady rate: with no other load,
and while another organization has thousands of deliveries that wait for the rate limit of its endpoint.`,
    sections: {
      latency: {
        title: 'Time from publisher to receiver',
        text: 'One run each, in sequence.',
        rows: {
          baseline: 'No other load',
          while_published: 'While the other organization publishes',
          while_waiting: 'While the deliveries of the other organization wait',
        },
        columns: latencyColumns,
      },
      outcome: {
        title: 'Effect of the throttled organization',
        text: 'The limit is a fifth of p99 with no other load, plus 20 ms.',
        rows: { free: 'The organization without a limit' },
        columns: {
          p99_rise: 'Rise of p99',
          allowed_rise: 'Allowed',
          throttled_rate: 'Attempts to the throttled endpoint per second',
          most_per_second: 'The most of them within a second',
        },
      },
    },
  },
  hostile: {
    title: 'Hostile receivers',
    text: `How long the events of an organization take to its healthy endpoint, at a steady rate: with no other load,
and beside five endpoints that stream \`HTTP/1.1 102 Processing\` without end and are sent ten events per second each.`,
    sections: {
      latency: {
        title: 'Time from publisher to receiver',
        text: 'One run each, in sequence.',
        rows: { baseline: 'No other load', beside: 'Beside five hostile receivers' },
        columns: latencyColumns,
        chart: { title: 'Milliseconds from publisher to receiver', columns: ['p50', 'p99'] },
      },
      outcome: {
        title: 'Effect of the hostile receivers',
        text: 'The limit is a fifth of p99 with no other load, plus 20 ms.',
        rows: { healthy: 'The healthy organization' },
        columns: {
          p99_rise: 'Rise of p99',
          allowed_rise: 'Allowed',
          refused: 'Attempts that ended as protocol_error',
        },
      },
    },
  },
  backlog: {
    title: 'A long backlog',
    text: `Bursts of events through two separate systems, in alternating rounds: an empty one, and one with a million
deliveries that wait for their retries. Redis holds what is due now; PostgreSQL holds what waits. CPU is processor time per
delivery. PostgreSQL and Redis serve both systems.`,
    sections: {
      speed: {
        title: 'Speed',
        rows: { empty: 'Empty', full: 'A million wait' },
        columns: {
          ...pipelineColumns,
          publish_ratio: 'Published, relative to empty',
          delivery_ratio: 'Delivered, relative to empty',
        },
        chart: {
          title: 'Events per second, and × the empty system',
          columns: ['published', 'delivered'],
          ratios: { published: 'publish_ratio', delivered: 'delivery_ratio' },
        },
      },
      batches: {
        title: 'A batch of 100 attempts in PostgreSQL, a million waiting',
        rows: { take: 'Find due attempts', claim: 'Claim', record: 'Record' },
        columns: { p50: 'p50', p99: 'p99' },
        chart: { title: 'Milliseconds per batch', columns: ['p50', 'p99'] },
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
    text: `One worker delivers what became due while nothing was delivered: 10,000 tenants with one endpoint and ten
deliveries each, and 1,000 tenants with a hundred each. The comparison is the sustained rate of the same run. The time is
counted from the first delivery that arrives to the last.`,
    sections: {
      speed: {
        title: 'Speed',
        rows: {
          sustained: 'Sustained, as published',
          wide: '10,000 tenants, 10 deliveries each',
          deep: '1,000 tenants, 100 deliveries each',
        },
        columns: { delivered: 'Delivered', ratio: 'Relative to sustained' },
        chart: {
          title: 'Deliveries per second, and × sustained',
          columns: ['delivered'],
          ratios: { delivered: 'ratio' },
        },
      },
    },
  },
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
sign-ins from 24 addresses with unknown e-mail addresses. There is one API process, which hashes one password at a time on
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
Redis only. The rate limit is the same: 600 requests per minute and key. The checks differ: better-auth has no allow-list of
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
