/** A message of `GET /webhooks/listen`. */
export type ListenMessage =
  | {
      /** The first message: the secret that signs the events of this stream. */
      readonly kind: 'secret'
      readonly secret: string
    }
  | {
      /** An event, with the headers and body that an endpoint would receive. Forward both unchanged. */
      readonly kind: 'event'
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  | {
      /**
       * The last message, if the server ends the stream. `restarting`, `interrupted`, `too_slow`: listen
       * again. A problem code such as `invalid_api_key`: the caller may no longer listen.
       */
      readonly kind: 'end'
      readonly code: string
      readonly detail: string
    }
