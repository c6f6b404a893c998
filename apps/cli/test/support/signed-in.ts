import type { TestApi, TestTenant } from '../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'

/** Approves codes as a person of the organization who sits at the panel. */
export async function makeApprover(api: TestApi, tenant: TestTenant) {
  const person = await makeSignedIn(api, tenant)
  return {
    person,
    async approve(userCode: string, access: 'full' | 'read_only' = 'full'): Promise<void> {
      const path = `/auth/device/requests/${userCode}/approve`
      const { status, text } = await callWith(api, person)('post', path, { body: { access } })
      if (status !== 200) throw new Error(`A code was not approved: ${text}`)
    },
  }
}

/** The user code that a program printed so far, if it is there. */
export const userCodeIn = (text: string): string | undefined =>
  /[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}/.exec(text)?.[0]
