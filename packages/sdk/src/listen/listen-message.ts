/** What `GET /webhooks/listen` sends. */
export type ListenMessage =
  | {
      /** Comes first: the secret that signs this stream's events. */
      readonly kind: 'secret'
      readonly secret: string
    }
  | {
      /** An event, with headers and body as an endpoint would get them: send both on as they are. */
      readonly kind: 'event'
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  | {
      /**
       * Comes last where the server ends the stream, and says why. `restarting`, `interrupted`, `too_slow`:
       * listen again. A problem's code, such as `invalid_api_key`: this caller may not any more.
       */
      readonly kind: 'end'
      readonly code: string
      readonly detail: string
    }
