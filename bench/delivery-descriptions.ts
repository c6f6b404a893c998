import type { Description } from './description.ts'

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
  fast: "The service, with Node's client",
}

/** The descriptions of the benchmarks of deliveries. */
export const deliveryDescriptions = {
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
        rows: { at_rest: 'Before any load', after_load: 'After all rounds' },
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
} as const satisfies Readonly<Record<string, Description>>
