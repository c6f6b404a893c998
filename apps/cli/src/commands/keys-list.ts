import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { defined } from '../defined.ts'
import { choice, text } from '../options.ts'
import { listOptions, pageSize, printList } from '../output/list.ts'
import { keyColumns } from '../records/key.ts'

export const keysList = command({
  path: 'keys list',
  summary: 'List API keys',
  options: {
    kind: choice(['personal', 'organization'], 'Of this kind alone'),
    status: choice(['active', 'expired', 'revoked'], 'In this state alone'),
    name: text('text', 'Only keys whose name contains the text'),
    ...listOptions,
  },
  async run(context, { kind, status, name, limit }) {
    const query = defined({ kind, status, q: name, limit: pageSize(limit) })
    const keys = (await signedInClient(context)).items('/api-keys', { params: { query } })
    await printList(context.output, keys, { limit, columns: keyColumns, what: 'keys' })
  },
})
