import { listKeysRoute } from '../../../api/routes/api-keys.ts'
import { readKeyPolicy } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { EmptyState, PageHeader } from '../../view/components.tsx'
import { List, RowLink } from '../../view/list.tsx'
import { ListPage } from '../../view/list-page.tsx'
import { Ago } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { KeyOwner } from '../keys/owner.tsx'
import { violationsOf, violationsText } from '../keys/violations.tsx'
import { crumbs, violationsPath } from './show.tsx'

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
        <ListPage
          title={
            <PageHeader title="Keys that violate the key policy" crumbs={crumbs}>
              {list.items.length > 0 &&
                'They were created before the policy and keep working, but cannot be rotated. Replace each of them with a key that complies with the policy, then revoke it.'}
            </PageHeader>
          }
          pager={{ next: list.next_cursor, url: urlOf(violationsPath, query) }}
        >
          {list.items.length > 0 ? (
            <List
              caption="Keys that violate the key policy, newest first"
              variant="violations"
              rows={list.items}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'Name',
                  show: ({ id, name }) => (
                    <>
                      <RowLink to={`/keys/${id}`}>
                        <bdi>{name}</bdi>
                      </RowLink>
                      <span class="under mono">{id}</span>
                    </>
                  ),
                },
                {
                  name: 'Violation',
                  place: 'below',
                  show: (key) => violationsText(violationsOf(key, policy)),
                },
                { name: 'Owner', place: 'aside', show: (key) => <KeyOwner record={key} /> },
                { name: 'Last used', numeric: true, show: (key) => <Ago at={key.last_used_at} /> },
                { name: 'Expires', numeric: true, show: (key) => <Ago at={key.expires_at} /> },
              ]}
            />
          ) : (
            <EmptyState icon="check" title="All keys comply">
              No key violates the key policy.
            </EmptyState>
          )}
        </ListPage>
      ),
    }
  },
})
