import type { PermissionName } from '@hosting/core'
import type { ComponentChildren } from 'preact'
import type { SessionCaller } from '../http/caller.ts'
import type { Services } from '../services.ts'
import type { Endpoint } from './endpoints.ts'
import type { Form } from './form.ts'
import type { NoticeName } from './notices.ts'
import type { Refused } from './view/context.ts'

/** A page as data: the router, the guard, and what a sign-in may lead back to read the one table of them. */
export interface Page {
  /** Express's form: `/keys/:id`. */
  readonly path: string
  /** Who may see it. There is no default. */
  readonly access: 'anyone' | 'session' | PermissionName
  /** Whether it is shown only after a confirmation of the person's identity in the last 5 minutes. */
  readonly confirmed?: boolean
  /** What is handed over to it may be read again until it lapses, instead of once. */
  readonly keepsHandOver?: boolean
  show(visit: SignedInVisit): Promise<Screen>
  /** What its forms do, by name. Each ends in a redirect; a refusal shows the page again. */
  readonly actions?: Readonly<Record<string, (visit: SignedInVisit) => Promise<Done>>>
}

/** A request for a page, as its handlers see it: parsed values, never `req` or `res`. */
export interface Visit {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** What was submitted; empty where the page is only asked for. */
  readonly form: Form
  /** What was submitted and refused, if the page is shown again for that. */
  readonly refused: Refused | undefined
  readonly caller: SessionCaller | undefined
  readonly services: Services
  readonly ip: string
  readonly now: Date
  /** Where the visit was meant to lead: a page of the panel, and nothing else. */
  readonly next: string
  /** What another page handed over to this one, such as a secret that is shown once. */
  readonly handedOver: string | undefined
  /** Calls a route of the API as the person who is signed in. @throws Problem as the route does. */
  call<Answer>(endpoint: Endpoint<Answer>, input?: CallInput): Promise<Answer>
}

/** A visit of somebody who is signed in. */
export interface SignedInVisit extends Visit {
  readonly caller: SessionCaller
}

/** What goes with a call. Members that are undefined are left out. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** What a page shows. */
export interface Screen {
  readonly title: string
  readonly body: ComponentChildren
  /** `shell`, with the navigation, for the signed-in; else the page stands alone. */
  readonly layout?: 'shell' | 'alone' | 'roomy'
  /** Something on it changes by itself: where no scripts run, it is loaded again so often, in seconds. */
  readonly refreshSeconds?: number | undefined
}

/** What an action leads to. */
export interface Done {
  readonly to: string
  /** What the next page says of it. */
  readonly notice?: NoticeName
  /** Is given to the page that it leads to, and to nobody else. */
  readonly handOver?: { readonly text: string; readonly seconds: number }
}

/** Makes a page for those who are signed in. */
export const page = (
  definition: Page & { readonly access: Exclude<Page['access'], 'anyone'> },
): Page => definition

/** Makes a page that everybody sees. */
export const openPage = (
  definition: Omit<Page, 'access' | 'show' | 'actions'> & {
    show(visit: Visit): Promise<Screen>
    readonly actions?: Readonly<Record<string, (visit: Visit) => Promise<Done>>>
  },
): Page => ({ ...definition, access: 'anyone' })
