import type { Appearance } from '@hosting/html'
import type { ProblemCode } from '@hosting/core/problems'
import type { PermissionName } from '@hosting/core/scopes'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Services } from '../../api/services.ts'
import type { SubmittedForm } from '../form.ts'

/** What components know about the page that they are on. */
export interface PageContext {
  /** Path and query; the default target of forms. */
  readonly url: string
  readonly now: Date
  readonly brand: Services['brand']
  /** Whether the service has a host name, to which passkeys are bound. Without one, no page offers them. */
  readonly offersPasskeys: boolean
  /** What the person has chosen about the appearance of pages. */
  readonly appearance: Appearance
  /** Submitted with every form; `undefined` before sign-in. */
  readonly csrfToken: string | undefined
  /** Submitted with every form, so that a person who has to sign in again gets the form back. */
  readonly personMark: string | undefined
  /** Whether the signed-in person's role grants the permission. */
  may(permission: PermissionName): boolean
  /** The number of the person's unread notices, counted up to {@link unreadNoticesMax}. */
  readonly unreadNotices: number
  /** The rejected form, to be shown again with its errors. */
  readonly refused: RejectedForm | undefined
}

/** More unread notices are not counted. */
export const unreadNoticesMax = 100

/** A rejected form. */
export interface RejectedForm {
  readonly action: string
  readonly code: ProblemCode
  readonly form: SubmittedForm
  readonly title: string
  readonly detail: string
  /** The errors of each field, by name. */
  readonly errors: ReadonlyMap<string, readonly string[]>
  /** The form has no errors: it was interrupted, for example to confirm the person's identity. */
  readonly isInterrupted?: boolean
}

export const PageContext = createContext<PageContext>({
  url: '/',
  now: new Date(0),
  brand: {
    name: '',
    command: '',
    logo: undefined,
    style: undefined,
    rename: (text) => text,
    renameHtml: (html) => html,
    renameJson: (json) => json,
    renameCode: (code) => code,
  },
  offersPasskeys: false,
  appearance: { theme: undefined, density: 'comfortable', times: 'local' },
  csrfToken: undefined,
  personMark: undefined,
  may: () => false,
  unreadNotices: 0,
  refused: undefined,
})

/** The context of the current page. */
export const usePage = (): PageContext => useContext(PageContext)
