import { useApi } from '../../../../../test/support/api.ts'
import { testTenantView } from '../../support/tenant-view.ts'

testTenantView(useApi(), {
  list: 'webhook-deliveries',
  queries: [
    '?status=dead',
    '?status=waiting_endpoint',
    '?status=lost',
    '?event_type=site.created',
    '?webhook_id=WEBHOOK',
    '?since=2100-01-01T00:00:00Z',
    '?limit=0',
    '?colour=red',
  ],
})
