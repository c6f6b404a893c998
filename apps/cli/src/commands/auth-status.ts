import { command } from '../command.ts'
import { clientFor, getSignIn, type Context, type SignIn } from '../context.ts'
import { CliError, isKeyRefused } from '../exit-codes.ts'
import { toLines } from '../output/table.ts'

export const authStatus = command({
  path: 'auth status',
  summary: 'Show where the key in use comes from, and whether it works',
  async run(context) {
    const signIn = await getSignIn(context)
    const status = {
      profile: signIn.source === 'HCTL_TOKEN' ? null : context.profile,
      server: signIn.server,
      source: signIn.source,
      key_id: signIn.token.split('_')[1] ?? null,
      valid: await isValid(context, signIn),
    }
    context.output.answer(status, toLines(status))
    if (!status.valid) throw new CliError('invalid_api_key', 'The key does not work (any more).')
  },
})

async function isValid(context: Context, { server, token }: SignIn): Promise<boolean> {
  try {
    await clientFor(context, { server, token }).GET('/auth/me')
    return true
  } catch (error) {
    if (isKeyRefused(error)) return false
    throw error
  }
}
