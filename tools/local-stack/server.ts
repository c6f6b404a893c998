/** A server started by the local stack. */
export type RunningServer = {
  /** Its URL with the superuser's credentials, for the given database or the default one. */
  url: (database?: string) => string
  /** The file that contains its password, if it has one. */
  passwordFile?: string
  /** Stops the process and waits until it has exited; a second call waits for the first. */
  stop: () => Promise<void>
  /** Resolves, with the end of its log, if the process exits without having been stopped. */
  ended: Promise<Error>
}

export type ServerOptions = {
  /** Contains the data, the log and the credentials; created if missing, kept between runs. */
  directory: string
  /** False trades safety against power loss for speed, for tests. */
  durable: boolean
  log?: (line: string) => void
}

/** A server that did not start, with the end of its log. */
export class StartFailure extends Error {}
