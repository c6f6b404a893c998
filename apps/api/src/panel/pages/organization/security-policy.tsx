import { dayMs } from '@hosting/core/clock'
import { hasSecondFactor, readPolicyReach, type PolicyReach } from '../../../api/for-pages.ts'
import {
  type SecurityPolicyRecord,
  getSecurityPolicyRoute,
  putSecurityPolicyRoute,
} from '../../../api/routes/security-policy.ts'
import { type SubmittedForm, toBoolean } from '../../form.ts'
import { page } from '../../page.ts'
import { Alert, Card, LinkButton, PageHeader } from '../../view/components.tsx'
import { usePage, type PageContext } from '../../view/context.ts'
import { Radios, Select } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { utcTime } from '../../view/time.tsx'
import { crumbs } from './show.tsx'

/** How many days ahead a second factor can be required, besides at once. */
const daysAhead = [7, 14, 30]

export const securityPolicyPage = page({
  path: '/organization/security-policy',
  access: 'tenant.manage',
  confirmed: true,
  async show({ call, services, caller, now }) {
    const { command } = services.brand
    const { policy } = await call(getSecurityPolicyRoute)
    const reach = await readPolicyReach(services, caller)
    const isSecured = await hasSecondFactor(services.database.prisma, caller.user.id)
    return {
      title: 'Security policy',
      body: (
        <>
          <PageHeader title="Security policy" crumbs={crumbs}>
            How people sign in, and who may approve device logins such as {command} login. Applies
            from the next request on.
          </PageHeader>
          {!isSecured && (
            <Alert tone="warn" title="You have no second factor yourself">
              Set one up before you require one of others. <a href="/security">Security</a>
            </Alert>
          )}
          <Reach reach={reach} />
          <PolicyForm policy={policy} reach={reach} now={now} />
        </>
      ),
    }
  },
  actions: {
    async save({ call, form, now }) {
      await call(putSecurityPolicyRoute, {
        body: {
          second_factor_required: toBoolean(form.text('second_factor_required')),
          second_factor_from: readStart(form, now),
          device_login: form.text('device_login'),
          device_login_same_network: toBoolean(form.text('device_login_same_network')),
        },
      })
      return { to: '/organization', message: 'security_policy_updated' }
    },
  },
})

/** The chosen start: a number of days, a time that was saved before, or now. Other text is refused by the schema. */
function readStart(form: SubmittedForm, now: Date): string | null {
  const text = form.text('second_factor_from') ?? 'now'
  if (text === 'now') return null
  const isDays = /^\d{1,2}$/.test(text)
  return isDays ? new Date(now.getTime() + Number(text) * dayMs).toISOString() : text
}

/** Whom the policy affects, before it is saved. */
const Reach = ({ reach: { people, withoutSecondFactor, names } }: { reach: PolicyReach }) => (
  <Card title="Who is affected">
    <div class="stack">
      <p>
        <strong>
          {withoutSecondFactor} of {countOf(people)} {withoutSecondFactor === 1 ? 'has' : 'have'} no
          second factor.
        </strong>{' '}
        {withoutSecondFactor > 0 &&
          'They get a notice 7 days and 1 day before it is required, and then have to set one up before they can go on.'}
      </p>
      {names.length > 0 && (
        <ul class="names">
          {names.map((name, index) => (
            <li key={`${index} ${name}`}>
              <bdi>{name}</bdi>
            </li>
          ))}
          {withoutSecondFactor > names.length && (
            <li>and {withoutSecondFactor - names.length} more</li>
          )}
        </ul>
      )}
    </div>
  </Card>
)

const PolicyForm = ({
  policy,
  reach,
  now,
}: {
  policy: SecurityPolicyRecord
  reach: PolicyReach
  now: Date
}) => (
  <Card>
    <Form action="save">
      <SecondFactorFields policy={policy} now={now} />
      <DeviceLoginFields policy={policy} reach={reach} />
      <div class="buttons">
        <Submit>Save security policy</Submit>
        <LinkButton to="/organization">Cancel</LinkButton>
      </div>
    </Form>
  </Card>
)

/** What {@link SecondFactorFields} calls a second factor. */
const factorsOf = ({ offersPasskeys }: PageContext) =>
  offersPasskeys ? 'a passkey or an authenticator app' : 'an authenticator app'

const SecondFactorFields = ({ policy, now }: { policy: SecurityPolicyRecord; now: Date }) => (
  <>
    <Radios
      name="second_factor_required"
      label="Second factor"
      value={String(policy.second_factor_required)}
      choices={[
        { value: 'false', label: 'Optional', hint: 'A password is enough to sign in.' },
        {
          value: 'true',
          label: 'Required',
          hint: `Everyone needs ${factorsOf(usePage())} and uses it to sign in. Single sign-on, links of the platform and API keys are not affected.`,
        },
      ]}
    />
    <Select
      name="second_factor_from"
      label="Required from"
      hint="Applies only if a second factor is required."
      value={startOf(policy, now)}
      choices={[
        { value: 'now', label: 'Now' },
        ...daysAhead.map((days) => ({ value: String(days), label: `In ${days} days` })),
        ...savedStart(policy, now),
      ]}
    />
  </>
)

const DeviceLoginFields = ({
  policy,
  reach: { people, notAdmin },
}: {
  policy: SecurityPolicyRecord
  reach: PolicyReach
}) => (
  <>
    <Radios
      name="device_login"
      label="Who may approve device logins"
      value={policy.device_login}
      choices={[
        { value: 'everyone', label: 'Everyone', hint: 'Everyone whose role may create API keys.' },
        {
          value: 'admins',
          label: 'Administrators',
          hint: `${notAdmin} of ${countOf(people)} are not administrators and can no longer approve one.`,
        },
        {
          value: 'off',
          label: 'Nobody',
          hint: 'People create API keys in the panel instead. Existing keys keep working.',
        },
      ]}
    />
    <Radios
      name="device_login_same_network"
      label="From which network"
      value={String(policy.device_login_same_network)}
      choices={[
        { value: 'false', label: 'Any', hint: 'A device may be elsewhere, for example a server.' },
        {
          value: 'true',
          label: 'The network of the device',
          hint: 'The browser must be in the IPv4 /24 or IPv6 /48 that requested the code. Rules out most logins on remote servers.',
        },
      ]}
    />
  </>
)

const countOf = (people: number): string => (people === 1 ? '1 person' : `${people} people`)

const isAhead = ({ second_factor_from: from }: SecurityPolicyRecord, now: Date): boolean =>
  from !== null && new Date(from) > now

const startOf = (policy: SecurityPolicyRecord, now: Date): string =>
  isAhead(policy, now) ? policy.second_factor_from! : 'now'

/** The time that was saved, if it is still ahead. */
const savedStart = (policy: SecurityPolicyRecord, now: Date) =>
  isAhead(policy, now)
    ? [{ value: policy.second_factor_from!, label: utcTime(new Date(policy.second_factor_from!)) }]
    : []
