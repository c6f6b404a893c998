import { useApi } from '../../../../../test/support/api.ts'
import { testTenantView } from '../../support/tenant-view.ts'

testTenantView(useApi(), {
  list: 'webhooks',
  queries: ['?limit=1', '?limit=0', '?cursor=x', '?colour=red'],
})
