/** The headers of a response. A repeated header, such as `Set-Cookie`, has a list of values. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>

/** Returned by handlers of routes with several responses. Other handlers return only the body. */
export class HttpResponse<Body = unknown> {
  readonly status: number
  readonly body: Body
  readonly headers: ResponseHeaders

  constructor(status: number, body: Body, headers: ResponseHeaders = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** A message of a stream. A comment only keeps the connection alive. */
export type StreamMessage =
  | { readonly event?: string; readonly data: unknown }
  | { readonly comment: string }

/** A response body of Server-Sent Events (HTML standard, section 9.2). */
export class EventStream {
  /** Starts the messages. They end soon after `gone` is aborted, which means that the client has disconnected. */
  readonly open: (gone: AbortSignal) => AsyncIterable<StreamMessage>

  constructor(open: (gone: AbortSignal) => AsyncIterable<StreamMessage>) {
    this.open = open
  }
}

/** A response body of records that are read while they are sent. */
export interface RecordSource {
  readonly mediaType: string
  /** The texts to send, in order. */
  texts(gone: AbortSignal): AsyncIterable<string>
  /** Ends the export, whether or not it was sent. */
  close(): Promise<void>
}

/** A response body of records that are read while they are sent. */
export class RecordStream {
  readonly source: RecordSource

  constructor(source: RecordSource) {
    this.source = source
  }
}

/** Called once, with the status of a response. */
export type StatusCallback = (status: number) => void
