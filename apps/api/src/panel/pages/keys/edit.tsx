import type { KeyRecord } from '../../../api/schemas/api-key.ts'
import { getKeyRoute, updateKeyRoute } from '../../../api/routes/api-keys.ts'
import {
  readKeyPolicy,
  readAccountChoices,
  serviceRoles,
  type KeyUser,
} from '../../../api/for-pages.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { toBoolean } from '../../form.ts'
import { Radios } from '../../view/fields.tsx'
import { FormCard } from '../../view/form.tsx'
import { PageHeader } from '../../view/components.tsx'
import { isSameChoice } from '../account-picker.tsx'
import { keyCrumbs } from './key-header.tsx'
import { KeyFormFields, readKeyFields } from './fields.tsx'

export const editKeyPage = page({
  path: '/keys/:id/edit',
  access: 'apikeys.create',
  async show({ call, params, services, caller }) {
    const policy = await readKeyPolicy(services, caller)
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    const accounts = await readAccountChoices(services, userOf(key, caller))
    return {
      title: `Edit ${key.name}`,
      body: (
        <>
          <PageHeader title="Edit key" crumbs={keyCrumbs(key)}>
            Changes apply from the next request. The token stays the same.
          </PageHeader>
          <FormCard action="save" button="Save changes" cancel={`/keys/${key.id}`}>
            <KeyFormFields record={key} policy={policy} accounts={accounts} />
            <Radios
              name="enabled"
              label="State"
              value={String(key.enabled)}
              choices={[
                { value: 'true', label: 'Enabled', hint: 'Requests with the key are accepted.' },
                {
                  value: 'false',
                  label: 'Disabled',
                  hint: 'Requests are rejected until you enable the key again.',
                },
              ]}
            />
          </FormCard>
        </>
      ),
    }
  },
  actions: {
    async save({ call, params, form }) {
      const input = { params: { id: params.id } }
      const { key: before } = await call(getKeyRoute, input)
      const { accounts, ...fields } = readKeyFields(form)
      const { key } = await call(updateKeyRoute, {
        ...input,
        body: {
          ...fields,
          // An account that was deleted stays in the record, but cannot be set again.
          accounts: isSameChoice(accounts, before.accounts) ? undefined : accounts,
          enabled: toBoolean(form.text('enabled')),
        },
      })
      return { to: `/keys/${key.id}`, message: 'key_updated' }
    },
  },
})

/** The user that a key acts as. A person edits only their own personal keys, and organization keys. */
const userOf = (
  { kind, user }: KeyRecord,
  { tenant, user: person }: SignedInRequest['caller'],
): KeyUser => ({
  id: user.id,
  tenantId: tenant.id,
  roles: kind === 'organization' ? serviceRoles : person.roles,
})
