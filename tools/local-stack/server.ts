/** A server started by the local stack. */
export type RunningServer = {
  /** Its address with the superuser's credentials, for the given database or the first one. */
  url: (database?: string) => string
  /** Ends the process and waits until it is gone; a second call waits for the first. */
  stop: () => Promise<void>
  /** Resolves, with the end of its log, if the process ends without having been told to. */
  ended: Promise<Error>
}

export type ServerOptions = {
  /** Holds the data, the log and the credentials; made if missing, kept between runs. */
  directory: string
  /** False trades safety against power loss for speed, as tests do. */
  durable: boolean
  log?: (line: string) => void
}
