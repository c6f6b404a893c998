import { listKeysRoute } from '../../../api/routes/api-keys.ts'
import type { DeviceLoginRule } from '@hosting/core/sessions'
import {
  type SecurityPolicyRecord,
  getSecurityPolicyRoute,
} from '../../../api/routes/security-policy.ts'
import { getKeyPolicyRoute } from '../../../api/routes/key-policy.ts'
import { page } from '../../page.ts'
import { Alert, Card, DescriptionList, LinkButton, PageHeader } from '../../view/components.tsx'
import { usePage } from '../../view/context.ts'
import { Time } from '../../view/time.tsx'
import type { KeyPolicyWarning } from '../../../api/for-pages.ts'

/** What weakens the key policy. */
export const PolicyWarnings = ({
  warnings = [],
}: {
  warnings: readonly KeyPolicyWarning[] | undefined
}) => (
  <>
    {warnings.map(({ code, message }) => (
      <Alert key={code} tone="warn" title="Some IP allowlists are wide">
        {message} <a href="/keys?wide_ip_allowlist=true">Show the keys</a>
      </Alert>
    ))}
  </>
)

/** Breadcrumbs from the organization to its key policy. */
export const crumbs = [['Organization', '/organization']] as const

/** The list of keys that violate the key policy. */
export const violationsPath = '/organization/key-policy/violations'

export const organizationPage = page({
  path: '/organization',
  access: 'tenant.read',
  async show({ call, caller: { tenant } }) {
    const { policy, warnings } = await call(getKeyPolicyRoute)
    const security = await call(getSecurityPolicyRoute)
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
          <PolicyWarnings warnings={warnings} />
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
          <SecurityPolicyCard policy={security.policy} />
        </>
      ),
    }
  },
})

const SecurityPolicyCard = ({ policy }: { policy: SecurityPolicyRecord }) => (
  <Card title="Security policy" hint="How people sign in, and who may approve device logins.">
    <div class="stack">
      <DescriptionList
        items={[
          [
            'Second factor',
            policy.second_factor_required ? (
              <>
                Required
                {policy.second_factor_from !== null && (
                  <>
                    {' '}
                    from <Time at={policy.second_factor_from} />
                  </>
                )}
              </>
            ) : (
              'Optional'
            ),
          ],
          ['Device logins', deviceLoginTexts[policy.device_login]],
          [
            'Approved from',
            policy.device_login_same_network ? 'The network of the device' : 'Any network',
          ],
        ]}
      />
      {usePage().may('tenant.manage') && (
        <div class="buttons">
          <LinkButton to="/organization/security-policy">Change security policy</LinkButton>
        </div>
      )}
    </div>
  </Card>
)

const deviceLoginTexts: Readonly<Record<DeviceLoginRule, string>> = {
  everyone: 'Anyone can approve',
  admins: 'Approved by administrators',
  off: 'Off',
}

const daysOf = (days: number): string => (days === 1 ? '1 day' : `${days} days`)

const PolicyLinks = () => (
  <div class="buttons">
    {usePage().may('tenant.manage') && (
      <LinkButton to="/organization/key-policy">Change key policy</LinkButton>
    )}
    <LinkButton to={violationsPath}>Keys that violate it</LinkButton>
  </div>
)
