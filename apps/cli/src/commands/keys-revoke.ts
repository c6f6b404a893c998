import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { flag } from '../options.ts'
import { askBefore } from '../output/ask.ts'

export const keysRevoke = command({
  path: 'keys revoke',
  summary: 'End a key, at once and for good',
  arguments: { id: 'The key' },
  options: { yes: flag('Do not ask') },
  async run(context, { id, yes }) {
    const client = await signedInClient(context)
    await askBefore(context, `Revoke key ${id} for good?`, { yes })
    await client.DELETE('/api-keys/{id}', { params: { path: { id } } })
    context.output.answer({ id, status: 'revoked' }, [`Key ${id} is revoked.`])
  },
})
