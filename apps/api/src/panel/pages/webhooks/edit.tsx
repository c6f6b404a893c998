import { getEndpointRoute, updateEndpointRoute } from '../../../api/routes/webhooks.ts'
import { readEndpointAccountChoices } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { FormCard } from '../../view/form.tsx'
import { PageHeader } from '../../view/components.tsx'
import { isSameChoice } from '../account-picker.tsx'
import { endpointCrumbs } from './endpoint-header.tsx'
import { readEndpointFields, EndpointFormFields } from './fields.tsx'

export const editEndpointPage = page({
  path: '/webhooks/:id/edit',
  access: 'webhooks.manage',
  async show({ call, params, services, caller }) {
    const { webhook: endpoint } = await call(getEndpointRoute, { params: { id: params.id } })
    const accounts = await readEndpointAccountChoices(services, caller)
    return {
      title: 'Edit endpoint',
      body: (
        <>
          <PageHeader title="Edit endpoint" crumbs={endpointCrumbs(endpoint)} />
          <FormCard
            action="save"
            button="Save changes"
            cancel={`/webhooks/${endpoint.id}/settings`}
          >
            <EndpointFormFields endpoint={endpoint} accounts={accounts} />
          </FormCard>
        </>
      ),
    }
  },
  actions: {
    async save({ call, params, form, services }) {
      const id = params.id
      const { webhook: before } = await call(getEndpointRoute, { params: { id } })
      const { accounts, ...fields } = readEndpointFields(form, services)
      // An account that was deleted stays in the record, but cannot be set again.
      const changed = isSameChoice(accounts, before.accounts) ? {} : { accounts }
      await call(updateEndpointRoute, { params: { id }, body: { ...fields, ...changed } })
      return { to: `/webhooks/${id}/settings`, message: 'endpoint_updated' }
    },
  },
})
