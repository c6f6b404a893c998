import { findKeyId } from '@hosting/core/api-keys'
import { command } from '../command.ts'
import { keyLines } from '../api-keys/display.ts'
import type { Context } from '../context.ts'
import { CliError, exitCodes, isKeyRefused } from '../exit-codes.ts'
import { toLines } from '../terminal/table.ts'
import { clientFor, getSignIn, signedInClient, type SignIn } from './sign-in.ts'

export const whoami = command({
  path: 'whoami',
  summary: 'Show the signed-in user and the key in use',
  examples: ['hctl whoami'],
  async run(context) {
    const me = await (await signedInClient(context)).GET('/auth/me')
    const { user, tenant, roles, accounts, key } = me
    context.output.result(me, [
      ...toLines({
        user: user.email ? `${user.name} <${user.email}>` : user.name,
        organization: `${tenant.name} (${tenant.slug})`,
        roles,
        accounts: accounts === 'all' ? 'all' : accounts.length,
      }),
      ...(key ? ['', ...keyLines(key)] : []),
    ])
  },
})

export const authStatus = command({
  path: 'auth status',
  summary: 'Show where the key in use comes from and whether it is valid',
  examples: ['hctl auth status'],
  async run(context) {
    const signIn = await getSignIn(context)
    const status = {
      profile: signIn.source === 'HCTL_TOKEN' ? null : context.profile,
      server: signIn.server,
      source: signIn.source,
      // Another secret, such as whsec_…, has no public part.
      key_id: findKeyId(signIn.token) ?? null,
      valid: await isValid(context, signIn),
    }
    context.output.result(status, toLines(status))
    if (!status.valid) {
      const message =
        'The key is not valid. It may have been revoked, rotated or disabled, or it expired.'
      throw new CliError('invalid_api_key', message, { exitCode: exitCodes.refused })
    }
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
