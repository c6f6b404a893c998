import type { Problem } from '@hosting/core/problems'
import { errorMediaType, errorMembers } from './api/http/problem-document.ts'
import type { ErrorFormat } from './api/routes/route.ts'
import { publicBase, publicRoutes } from './api/routes/index.ts'
import { oauthBase } from './api/routes/oauth.ts'

const formats: ReadonlyMap<string, ErrorFormat> = new Map(
  publicRoutes.flatMap(({ path, errorFormat }) =>
    errorFormat ? [[publicBase + path, errorFormat] as const] : [],
  ),
)

const isOAuthPath = (path: string): boolean =>
  path === oauthBase || path.startsWith(`${oauthBase}/`)

/** Describes an error of the public listener as the app does, which never sees the request. */
export function describeError(path: string, problem: Problem) {
  const format = isOAuthPath(path) ? 'oauth' : formats.get(path)
  return { mediaType: errorMediaType(format), members: errorMembers(problem, format) }
}
