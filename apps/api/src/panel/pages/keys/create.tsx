import { createKeyRoute } from '../../../routes/api-keys.ts'
import { page } from '../../page.ts'
import { Radios, Select } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { usePage } from '../../view/context.ts'
import { Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { KeyFields, readKeyFields } from './fields.tsx'

const dayMs = 86_400_000
const lifetimes = new Set(['7', '30', '90', '365'])

export const newKeyPage = page({
  path: '/keys/new',
  access: 'apikeys.create',
  confirmed: true,
  show: () =>
    Promise.resolve({
      title: 'Create API key',
      body: (
        <>
          <PageHeader title="Create API key" crumbs={[['API keys', '/keys']]} />
          <NewKeyForm />
        </>
      ),
    }),
  actions: {
    async create({ form, call, now }) {
      const days = form.text('lifetime')
      const { key, token } = await call(createKeyRoute, {
        body: {
          ...readKeyFields(form),
          kind: form.text('kind'),
          expires_at:
            days !== undefined && lifetimes.has(days)
              ? new Date(now.getTime() + Number(days) * dayMs).toISOString()
              : null,
        },
      })
      return { to: `/keys/${key.id}/token`, flashSecret: { text: token, seconds: 60 } }
    },
  },
})

function NewKeyForm() {
  const { may } = usePage()
  return (
    <Card>
      <Form action="create">
        <KeyFields />
        <Select
          name="lifetime"
          label="Expiration"
          hint="Cannot be changed later. An expiration date limits the damage if the key leaks."
          value="90"
          choices={[
            { value: '7', label: '7 days' },
            { value: '30', label: '30 days' },
            { value: '90', label: '90 days' },
            { value: '365', label: '365 days' },
            { value: 'never', label: 'No expiration' },
          ]}
        />
        {may('apikeys.manage') && (
          <Radios
            name="kind"
            label="Kind"
            value="personal"
            choices={[
              {
                value: 'personal',
                label: 'Personal',
                hint: 'Acts as you. Stops working when your account is deactivated.',
              },
              {
                value: 'organization',
                label: 'Organization',
                hint: 'Acts as a service user. Does not depend on any person’s account.',
              },
            ]}
          />
        )}
        <div class="buttons">
          <Submit>Create key</Submit>
          <LinkButton to="/keys">Cancel</LinkButton>
        </div>
      </Form>
    </Card>
  )
}
