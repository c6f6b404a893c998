import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { showKey } from '../records/key.ts'
import { toLines } from '../output/table.ts'

export const whoami = command({
  path: 'whoami',
  summary: 'Show who is signed in, and with which key',
  async run(context) {
    const me = await (await signedInClient(context)).GET('/auth/me')
    const { user, tenant, roles, accounts, key } = me
    context.output.answer(me, [
      ...toLines({
        user: user.email ? `${user.name} <${user.email}>` : user.name,
        organization: `${tenant.name} (${tenant.slug})`,
        roles,
        accounts: accounts === 'all' ? 'all' : accounts.length,
      }),
      ...(key ? ['', ...showKey(key)] : []),
    ])
  },
})
