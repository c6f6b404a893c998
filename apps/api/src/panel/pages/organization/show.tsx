import { listKeysRoute } from '../../../routes/api-keys.ts'
import { getKeyPolicyRoute } from '../../../routes/key-policy.ts'
import { page } from '../../page.ts'
import { Alert, Card, DescriptionList, LinkButton, PageHeader } from '../../view/components.tsx'
import { usePage } from '../../view/context.ts'
import { violationsPath } from './crumbs.ts'

export const organizationPage = page({
  path: '/organization',
  access: 'tenant.read',
  async show({ call, caller: { tenant } }) {
    const { policy } = await call(getKeyPolicyRoute)
    const { items } = await call(listKeysRoute, { query: { violates_policy: 'true', limit: '1' } })
    return {
      title: 'Organization',
      body: (
        <>
          <PageHeader title="Organization" />
          {items.length > 0 && (
            <Alert tone="warn" title="Some keys violate the key policy">
              They keep working. <a href={violationsPath}>Show the keys</a>
            </Alert>
          )}
          <Card title="Settings" hint="Managed by the hosting platform.">
            <DescriptionList
              items={[
                ['Name', <bdi>{tenant.name}</bdi>],
                ['Short name', <code>{tenant.slug}</code>],
                ['Edition', tenant.edition],
              ]}
            />
          </Card>
          <Card title="Key policy" hint="What API keys of the organization must comply with.">
            <div class="stack">
              <DescriptionList
                items={[
                  [
                    'Maximum lifetime',
                    policy.max_lifetime_days === null
                      ? 'No limit'
                      : daysOf(policy.max_lifetime_days),
                  ],
                  ['IP allowlist', policy.ip_allowlist_required ? 'Required' : 'Optional'],
                  ['Personal keys', policy.personal_keys_allowed ? 'Allowed' : 'Not allowed'],
                ]}
              />
              <PolicyLinks />
            </div>
          </Card>
        </>
      ),
    }
  },
})

const daysOf = (days: number): string => (days === 1 ? '1 day' : `${days} days`)

const PolicyLinks = () => (
  <div class="buttons">
    {usePage().may('tenant.manage') && (
      <LinkButton to="/organization/key-policy">Change key policy</LinkButton>
    )}
    <LinkButton to={violationsPath}>Keys that violate it</LinkButton>
  </div>
)
