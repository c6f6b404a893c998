import { command } from '../command.ts'
import { signedInClient } from '../context.ts'
import { defined } from '../defined.ts'
import { choice } from '../options.ts'
import { listOptions, pageSize, printList } from '../output/list.ts'
import { keyColumns } from '../records/key.ts'

export const keysList = command({
  path: 'keys list',
  summary: 'List API keys',
  options: {
    kind: choice(['personal', 'organization'], 'Of this kind alone'),
    status: choice(['active', 'expired', 'revoked'], 'In this state alone'),
    ...listOptions,
  },
  async run(context, { kind, status, limit }) {
    const query = defined({ kind, status, limit: pageSize(limit) })
    const keys = (await signedInClient(context)).items('/api-keys', { params: { query } })
    await printList(context.output, keys, { limit, columns: keyColumns, what: 'keys' })
  },
})
