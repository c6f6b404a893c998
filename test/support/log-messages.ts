/**
 * What the API logs with an error, by what has caused the line. A test of the sources keeps the lists complete
 * (test/structure/log-messages.test.ts).
 */
export const apiMessages = {
  /** Each line has the id of its request. */
  ofRequests: new Set([
    'a follow-up of a committed change failed',
    'a key change has not reached the gate yet',
    'a request failed after its time was over',
    'a request failed because of a defect',
    'a request failed because of a defect in its response',
    'a stream failed because of a defect',
    'an export was cut off',
    'the caller of a stream could not be authorized again',
    'the database is unavailable',
    'the last use of a session could not be recorded',
    'the slot of an export could not be renewed',
  ]),
  /** Connections and duties, which belong to no request. */
  ofNoRequest: new Set([
    'Redis is unavailable',
    'an idle database connection was lost',
    'partitions could not be created',
    'refusals could not be written to the audit log',
    "the database's clock could not be read",
    'the organizations with open streams could not be read',
    'the process cannot continue',
    'the use of keys could not be recorded yet',
    'unhandled error',
    'waiting for PostgreSQL',
  ]),
  /** Either: Node warns once in a process, and requests share publishes, issuers and streams. */
  ofAnything: new Set([
    'Node emitted a warning',
    'an issuer could not be read',
    'events could not be read to be sent again to a stream',
    'first attempts are postponed',
    'holds are left to expire',
    'published events could not be read for their streams',
    'streams could not be notified of events',
    'the slot of a stream was not released and will expire',
  ]),
}
