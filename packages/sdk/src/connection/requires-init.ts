/** An operation with required parameters or a required body. */
export type RequiresInit =
  | { parameters: { path: object } }
  | { parameters: { query: object } }
  | { requestBody: { content: object } }
