import { beforeAll, expect } from '@jest/globals'
import { useApi, type TestApi, type TestTenant } from '../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'
import { linesOf, makeMachine, type Machine, type Result } from './hctl.ts'

/** A user who is signed in to the panel and approves device codes there. */
async function makeApprover(api: TestApi, tenant: TestTenant) {
  const person = await makeSignedIn(api, tenant)
  return {
    person,
    async approve(userCode: string, access: 'full' | 'read_only'): Promise<void> {
      const path = `/auth/device/requests/${userCode}/approve`
      const { status, text } = await callWith(api, person)('post', path, { body: { access } })
      if (status !== 200) throw new Error(`The code was not approved: ${text}`)
    },
  }
}

const userCodeIn = (text: string): string | undefined =>
  /[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}/.exec(text)?.[0]

/** What {@link useSignedInMachine} provides once the tests run. */
export interface SignedIn {
  readonly api: TestApi
  readonly tenant: TestTenant
  readonly machine: Machine
  readonly email: string
  readonly hctl: Machine['hctl']
  /** Signs in by the device login and approves the code. */
  signIn(access: 'full' | 'read_only', profile: string): Promise<Result>
}

/** Provides an API and a machine that is signed in to it with full access. */
export function useSignedInMachine(): SignedIn {
  const signedIn = { api: useApi() } as { -readonly [Name in keyof SignedIn]: SignedIn[Name] }
  beforeAll(async () => {
    const { api } = signedIn
    const tenant = await api.makeTenant()
    const machine = await makeMachine({ HCTL_URL: api.url })
    const approver = await makeApprover(api, tenant)
    const signIn: SignedIn['signIn'] = (access, profile) => {
      let approval: Promise<void> | undefined
      return machine.hctl(`login --json --name laptop --profile ${profile}`, {
        hurry: true,
        whileWaiting: () => approval,
        onText(text) {
          const code = userCodeIn(text)
          if (code) approval ??= approver.approve(code, access)
        },
      })
    }
    const { email } = approver.person
    Object.assign(signedIn, { tenant, machine, email, hctl: machine.hctl, signIn })
    const lines = linesOf(await signIn('full', 'default'))
    expect(lines.at(-1)).toMatchObject({ status: 'authenticated' })
  })
  return signedIn
}
