import { createEndpointRoute } from '../../../api/routes/webhooks.ts'
import { readEndpointAccountChoices } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { FormCard } from '../../view/form.tsx'
import { PageHeader } from '../../view/components.tsx'
import { readEndpointFields, EndpointFormFields } from './fields.tsx'

export const newEndpointPage = page({
  path: '/webhooks/new',
  access: 'webhooks.manage',
  async show({ services, caller }) {
    const accounts = await readEndpointAccountChoices(services, caller)
    return {
      title: 'Add endpoint',
      body: (
        <>
          <PageHeader title="Add endpoint" crumbs={[['Webhooks', '/webhooks']]} />
          <FormCard action="create" button="Add endpoint" cancel="/webhooks">
            <EndpointFormFields accounts={accounts} />
          </FormCard>
        </>
      ),
    }
  },
  actions: {
    async create({ call, form, services }) {
      const body = readEndpointFields(form, services)
      const { webhook: endpoint, secret } = await call(createEndpointRoute, { body })
      return { to: `/webhooks/${endpoint.id}/secret`, flashSecret: { text: secret, seconds: 60 } }
    },
  },
})
