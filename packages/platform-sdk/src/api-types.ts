import type { FetchOptions } from 'openapi-fetch'
import type { RequiresInit } from '#connection'
import type { paths } from './generated/openapi.ts'

/** The methods of the internal API. */
export type InternalMethod = 'get' | 'post' | 'put' | 'delete'

/** The paths that have a method. Events have a function of their own, `publish`. */
export type InternalPathOf<M extends InternalMethod> = {
  [Path in keyof paths]: paths[Path] extends Record<M, object> ? Path : never
}[Exclude<keyof paths, '/events'>]

/** The parameters and body of a call, as the operation defines them. */
export type InternalInitOf<Path extends keyof paths, M extends InternalMethod> = Pick<
  FetchOptions<paths[Path][M]>,
  'params' | 'body'
> & {
  /** Aborts the call and its retries; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A permission that `POST /authorize` can require. */
export type Permission = NonNullable<InternalInitOf<'/authorize', 'post'>['body']>['permission']

/** The body of an operation's response; `undefined` for a 204. */
export type InternalResponseOf<
  Path extends keyof paths,
  M extends InternalMethod,
> = paths[Path][M] extends { responses: infer Responses }
  ? { [Status in keyof Responses]: JsonOf<Responses[Status]> }[keyof Responses]
  : never

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body
  : undefined

/** The paths whose calls have no required parameters. */
export type InternalBarePathOf<M extends InternalMethod> = {
  [Path in InternalPathOf<M>]: paths[Path][M] extends RequiresInit ? never : Path
}[InternalPathOf<M>]

/** The lists of the directory. */
export type DirectoryListPath = '/tenants' | '/accounts' | '/users'

/** A record of a list of the directory. */
export type DirectoryItemOf<Path extends DirectoryListPath> = InternalResponseOf<
  Path,
  'get'
>['items'][number]
