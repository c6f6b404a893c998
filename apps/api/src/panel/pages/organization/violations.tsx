import { Table } from '@hosting/html'
import { listKeysRoute } from '../../../routes/api-keys.ts'
import { readKeyPolicy } from '../../../use-cases/key-policy.ts'
import { page } from '../../page.ts'
import { Card, EmptyState, PageHeader } from '../../view/components.tsx'
import { Pager } from '../../view/pager.tsx'
import { Time } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { violationsOf } from '../keys/violations.tsx'
import { crumbs, violationsPath } from './crumbs.ts'

export const policyViolationsPage = page({
  path: violationsPath,
  access: 'tenant.read',
  async show({ call, query, services, caller }) {
    const { cursor } = query
    const policy = await readKeyPolicy(services, caller)
    const list = await call(listKeysRoute, { query: { violates_policy: 'true', cursor } })
    return {
      title: 'Keys that violate the key policy',
      body: (
        <>
          <PageHeader title="Keys that violate the key policy" crumbs={crumbs}>
            They were created before the policy and keep working, but cannot be rotated. Replace
            each of them with a key that complies with the policy, then revoke it.
          </PageHeader>
          <Card flush title="Keys">
            {list.items.length > 0 ? (
              <Table
                caption="Keys that violate the key policy, newest first"
                rows={list.items}
                keyOf={({ id }) => id}
                columns={[
                  {
                    name: 'Name',
                    show: ({ id, name }) => (
                      <>
                        <a class="row-link" href={`/keys/${id}`}>
                          <bdi>{name}</bdi>
                        </a>
                        <span class="under">
                          <code>{id}</code>
                        </span>
                      </>
                    ),
                  },
                  { name: 'Violation', show: (key) => violationsOf(key, policy).join(', ') },
                  { name: 'Acts as', show: ({ user }) => <bdi>{user.name}</bdi> },
                  { name: 'Last used', show: (key) => <Time at={key.last_used_at} /> },
                  { name: 'Expires', show: (key) => <Time at={key.expires_at} /> },
                ]}
              />
            ) : (
              <EmptyState icon="check" title="All keys comply">
                No key violates the key policy.
              </EmptyState>
            )}
          </Card>
          <Pager next={list.next_cursor} url={urlOf(violationsPath, query)} />
        </>
      ),
    }
  },
})
