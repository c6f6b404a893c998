import { expect } from '@jest/globals'
import { makeSession } from '../../support/session.ts'
import { withPassword, type Journeys, type Walk } from './walk.ts'

/** Whether a cookie still belongs to a session. */
async function isSignedIn({ api }: Walk, { cookie }: { cookie: string }): Promise<boolean> {
  return (await api.call('get', '/auth/session', { headers: { cookie } })).status === 200
}

export const accountJourneys: Journeys = {
  'ends one other session, then all': async (walk) => {
    const { person } = await walk.enter('/security')
    const others = []
    for (let left = 3; left > 0; left--) others.push(await makeSession(walk.api, person.id))
    await walk.go('/security')
    expect(await walk.rows().count()).toBe(4)
    await walk.page.locator(`a[href="/security/sessions/${others[0]!.id}/end"]`).click()
    await walk.press('End session')
    await walk.shows('Session ended.')
    expect(await isSignedIn(walk, others[0]!)).toBe(false)
    expect(await isSignedIn(walk, others[1]!)).toBe(true)
    await walk.follow('End all other sessions')
    await walk.press('End all other sessions')
    await walk.shows('Your other sessions have ended.')
    expect(await walk.rows().count()).toBe(1)
    expect(await isSignedIn(walk, others[1]!)).toBe(false)
  },

  'changes the password, which ends the other sessions': async (walk) => {
    const { person } = await walk.enter('/security', withPassword)
    const other = await makeSession(walk.api, person.id)
    await walk.follow('Change password')
    const [label, again] = ['New password', 'Repeat new password']
    await walk.write({ [label]: 'another long sentence', [again]: 'not the same sentence' })
    await walk.press('Change password')
    await walk.shows('does not match the new password')
    await walk.write({ [label]: 'another long sentence', [again]: 'another long sentence' })
    await walk.press('Change password')
    await walk.shows('Password changed. Your other sessions have ended.')
    expect(await isSignedIn(walk, other)).toBe(false)
    const signIn = async (password: string): Promise<number> => {
      const body = { email: person.email, password }
      return (await walk.api.call('post', '/auth/session', { body })).status
    }
    expect(await signIn(withPassword.password)).toBe(401)
    expect(await signIn('another long sentence')).toBe(201)
  },
}
