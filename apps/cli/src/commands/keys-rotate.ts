import { command } from '../command.ts'
import { clientFor, getSignIn, type Context, type SignIn } from '../context.ts'
import { defined } from '../defined.ts'
import { duration } from '../options.ts'
import { showKey } from '../records/key.ts'

export const keysRotate = command({
  path: 'keys rotate',
  summary: 'Give a key a new secret',
  arguments: { id: 'The key' },
  options: { grace: duration('How long the secret so far stays valid (default: not at all)') },
  async run(context, { id, grace }) {
    const signIn = await getSignIn(context)
    const client = clientFor(context, signIn)
    const answer = await client.POST('/api-keys/{id}/rotate', {
      params: { path: { id } },
      body: defined({ grace_seconds: grace }),
    })
    const kept = await keepOwn(context, signIn, { id, token: answer.token })
    context.output.answer(answer, [
      ...showKey(answer.key),
      '',
      `Token  ${answer.token ?? '(lost)'}`,
      '       It is shown here alone: keep it safe.',
    ])
    if (kept) context.output.note(`It is this sign-in's key: ${kept} holds the new secret.`)
  },
})

/** A sign-in whose own key got a new secret goes on with it. Gives where it is kept. */
async function keepOwn(
  { stores, profile, output }: Context,
  { token: used, source }: SignIn,
  { id, token }: { id: string; token: string | null },
): Promise<string | undefined> {
  if (source === 'HCTL_TOKEN' || token === null || !used.startsWith(`hctl_${id}_`)) return undefined
  const store = stores[source]
  try {
    await store.write(profile, token)
    return store.where
  } catch {
    output.warn(`The new secret could not be kept in ${store.where}: sign in again.`)
    return undefined
  }
}
