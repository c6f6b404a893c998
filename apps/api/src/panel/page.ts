import type { PermissionName } from '@hosting/core/scopes'
import type { ComponentChildren } from 'preact'
import type { PublicCaller } from '../api/access/authenticate.ts'
import type { SessionCaller } from '../api/access/caller.ts'
import type { PathParams } from '../api/routes/define-route.ts'
import type { BodyOf, Route } from '../api/routes/route.ts'
import type { ResponseHeaders } from '../api/response.ts'
import type { WithoutSecondFactor } from '../api/access/check-access.ts'
import type { Services } from '../api/services.ts'
import type { SignInContext } from '../api/for-pages.ts'
import type { SubmittedForm } from './form.ts'
import type { FlashMessageName } from './flash-messages.ts'
import type { RejectedForm } from './view/context.ts'

/** A page as data. The router, the access check and the return path after sign-in all read the table of pages. */
export interface Page {
  /** Express's form: `/keys/:id`. */
  readonly path: string
  /** Who may open it. There is no default. */
  readonly access: 'anyone' | 'session' | PermissionName
  /** Whether it is open to a session that lacks the second factor that the organization requires. */
  readonly withoutSecondFactor?: WithoutSecondFactor
  /** Requires that the person confirmed their identity within the last 5 minutes. */
  readonly confirmed?: boolean
  /** Its flash secret may be read until it expires, instead of once. */
  readonly keepsFlashSecret?: boolean
  /** Renders the page, or redirects to another. */
  show(pageRequest: SignedInRequest): Promise<View | Redirect>
  /** Its form actions, by name. Each ends in a redirect; if it fails, to the page itself, which shows the errors. */
  readonly actions?: Readonly<Record<string, (pageRequest: SignedInRequest) => Promise<Redirect>>>
}

/** A request for a page as its handlers see it: parsed values, never `req` or `res`. */
export interface PageRequest<Params = Readonly<Record<string, string>>> {
  /** The parameters of the page's path. */
  readonly params: Params
  readonly query: Readonly<Record<string, string>>
  /** The query as it was sent, with its `?`; empty if there is none. */
  readonly rawQuery: string
  /** The submitted form; empty for GET. */
  readonly form: SubmittedForm
  /** The rejected or interrupted form, if the page shows one again. */
  readonly refused: RejectedForm | undefined
  readonly caller: SessionCaller | undefined
  readonly services: Services
  readonly ip: string
  /** The request, for actions that open a session. */
  readonly signInContext: SignInContext
  readonly now: Date
  /** The page of the panel to return to, for example after sign-in. */
  readonly next: string
  /** The flash secret that the previous page passed on, such as a new token. */
  readonly flashSecret: string | undefined
  /** Calls an API route as the signed-in person. @throws Problem as the route does. */
  call<Result>(route: Route<PublicCaller, Result>, input?: CallInput): Promise<BodyOf<Result>>
}

/** A request by a signed-in person. */
export interface SignedInRequest<
  Params = Readonly<Record<string, string>>,
> extends PageRequest<Params> {
  readonly caller: SessionCaller
}

/** The input of a route call. Undefined members are omitted. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** The content of a page. */
export interface View {
  readonly title: string
  readonly body: ComponentChildren
  /** The HTTP status, if it is not 200: 422 for filters with errors. */
  readonly status?: number | undefined
  /** `shell` has the navigation. `bare` and `roomy` have the product name only. */
  readonly layout?: 'shell' | 'bare' | 'roomy'
  /** How often scripts update the live parts of the page, in ms. `undefined`: never. */
  readonly updateMs?: number | undefined
}

/** A redirect: the end of an action, or what a page shows instead of itself. */
export interface Redirect {
  readonly to: string
  /** The message that the next page shows. */
  readonly message?: FlashMessageName
  /** The flash secret for the target page. */
  readonly flashSecret?: {
    readonly text: string
    readonly seconds: number
    /** The path of the page that receives it. Default: that of `to`. */
    readonly path?: string
    /** Whether it outlives the session: the person gets it after signing in again, too. */
    readonly isOfPerson?: boolean
  }
  /** Headers of the response, such as the cookie of a new session. */
  readonly headers?: ResponseHeaders
}

/** A page, whose handlers receive the parameters of its path: the router calls them only for that path. */
type Definition<Path extends string, Request> = Omit<
  Page,
  'path' | 'access' | 'show' | 'actions'
> & {
  readonly path: Path
  show(pageRequest: Request): Promise<View | Redirect>
  readonly actions?: Readonly<Record<string, (pageRequest: Request) => Promise<Redirect>>>
}

/** Defines a page for signed-in people. */
export const page = <const Path extends string>(
  definition: Definition<Path, SignedInRequest<PathParams<Path>>> & {
    readonly access: Exclude<Page['access'], 'anyone'>
  },
): Page => definition as unknown as Page

/** Defines a page that needs no sign-in. */
export const openPage = <const Path extends string>(
  definition: Definition<Path, PageRequest<PathParams<Path>>>,
): Page => ({ ...definition, access: 'anyone' }) as unknown as Page
