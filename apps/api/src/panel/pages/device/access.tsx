import { deviceKeyLifetimeMsOf } from '@hosting/core/api-keys'
import { dayMs } from '@hosting/core/clock'
import { readKeyPolicy } from '../../../api/for-pages.ts'
import type { SignedInRequest } from '../../page.ts'
import { Card, DescriptionList } from '../../view/components.tsx'

/** What each decision permits, and as whom. */
export const AccessCard = ({
  caller: { user, tenant },
  lifetime,
}: Pick<SignedInRequest, 'caller'> & { lifetime: string }) => (
  <Card title="Access">
    <DescriptionList
      items={[
        [
          'Acts as',
          <>
            <bdi>{user.name}</bdi>
            {user.email !== null && ` (${user.email})`} in <bdi>{tenant.name}</bdi>
          </>,
        ],
        ['Read-only access', 'Can see everything that you can see. Cannot change anything.'],
        [
          'Full access',
          'Can also do everything else that your role permits: create, change, delete and send.',
        ],
        [
          'Never',
          'Change your password, two-factor authentication or sessions, or authorize other devices.',
        ],
        ['Expiration', `${lifetime}. You can revoke the key under API keys at any time.`],
      ]}
    />
  </Card>
)

/** How long a key that is approved now will be valid. */
export async function lifetimeOf({ services, caller }: SignedInRequest): Promise<string> {
  const days = deviceKeyLifetimeMsOf(await readKeyPolicy(services, caller)) / dayMs
  return days === 1 ? '1 day' : `${days} days`
}
