import { getKeyRoute } from '../../../api/routes/api-keys.ts'
import { readKeyPolicy } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { HistoryCard, readHistory } from '../audit/history.tsx'
import { KeyHeader } from './key-header.tsx'

export const keyHistoryPage = page({
  path: '/keys/:id/history',
  access: 'audit.read',
  async show(pageRequest) {
    const { call, caller, params, services } = pageRequest
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    const policy = await readKeyPolicy(services, caller)
    const path = `/keys/${key.id}/history`
    const history = await readHistory(pageRequest, { type: 'api_key', id: key.id, path })
    return {
      title: `History of ${key.name}`,
      body: (
        <>
          <KeyHeader record={key} caller={caller} policy={policy} />
          <HistoryCard {...history} />
        </>
      ),
    }
  },
})
