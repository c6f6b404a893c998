import type { TestApi } from '../support/api.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

/** Creates an organization with a person, who is signed in to the panel and calls the API in the same session. */
export async function enterPanel(api: TestApi, options: Parameters<typeof makeSignedIn>[2] = {}) {
  const tenant = await api.makeTenant()
  const person = await makeSignedIn(api, tenant, options)
  return { tenant, person, visitor: visitorOf(api, person), call: callWith(api, person) }
}

/** Whether each group of folded fields is open, by its title. */
export const foldsOf = (text: string): [title: string, isOpen: boolean][] =>
  [...text.matchAll(/<details class="details folded"( open)?><summary><span>([^<]+)/g)].map(
    ([, open, title]) => [title!, open !== undefined],
  )
