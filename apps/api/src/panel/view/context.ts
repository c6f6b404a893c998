import type { PermissionName, ProblemCode } from '@hosting/core'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Form } from '../form.ts'

/** What the parts of a page know of the page that they stand on. */
export interface PageContext {
  /** Path and query, where forms go unless they say otherwise. */
  readonly url: string
  readonly now: Date
  /** Goes with every form; `undefined` where nobody can be told apart yet. */
  readonly csrfToken: string | undefined
  /** Whether the role of who is signed in permits it. */
  may(permission: PermissionName): boolean
  /** What was submitted and refused, to be shown again with its faults. */
  readonly refused: Refused | undefined
}

/** A form that was refused. */
export interface Refused {
  readonly action: string
  readonly code: ProblemCode
  readonly status: number
  readonly form: Form
  readonly title: string
  readonly detail: string
  /** What is wrong with each field, by its name. */
  readonly faults: ReadonlyMap<string, readonly string[]>
  /** Nothing is wrong with it: it was kept while the person confirmed who they are. */
  readonly isKept?: boolean
}

export const PageContext = createContext<PageContext>({
  url: '/',
  now: new Date(0),
  csrfToken: undefined,
  may: () => false,
  refused: undefined,
})

/** The page that is being shown. */
export const usePage = (): PageContext => useContext(PageContext)
