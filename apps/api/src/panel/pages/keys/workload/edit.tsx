import { notFound } from '@hosting/core/problems'
import { getKeyRoute, updateKeyRoute } from '../../../../api/routes/api-keys.ts'
import { page } from '../../../page.ts'
import { FormCard } from '../../../view/form.tsx'
import { Alert, PageHeader } from '../../../view/components.tsx'
import { keyCrumbs } from '../key-header.tsx'
import { readConditions, withFieldErrors } from './conditions.ts'
import {
  ConditionsField,
  readSingleUse,
  readTokenLifetime,
  SingleUseField,
  TokenLifetimeField,
} from './fields.tsx'

/** The form for the conditions of a workload key. Only a session may change them. */
export const editWorkloadPage = page({
  path: '/keys/:id/workload/edit',
  access: 'apikeys.manage',
  async show({ call, params }) {
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    if (!key.workload) throw notFound()
    return {
      title: `Conditions of ${key.name}`,
      body: (
        <>
          <PageHeader title="Edit conditions" crumbs={keyCrumbs(key)} />
          <Alert tone="warn" title="Changing the conditions revokes all current tokens">
            Jobs that are running exchange another identity token, if it meets the new conditions.
          </Alert>
          <FormCard action="save" button="Save conditions" cancel={`/keys/${key.id}`}>
            <ConditionsField
              label="Conditions"
              hint="The claims that identity tokens must have."
              conditions={key.workload.conditions}
            />
            <SingleUseField singleUse={key.workload.single_use} />
            <TokenLifetimeField seconds={key.workload.token_lifetime_seconds} />
          </FormCard>
        </>
      ),
    }
  },
  actions: {
    async save({ call, params, form }) {
      const input = { params: { id: params.id } }
      const workload = {
        conditions: readConditions(form),
        token_lifetime_seconds: readTokenLifetime(form),
        single_use: readSingleUse(form),
      }
      const { key } = await withFieldErrors({}, () =>
        call(updateKeyRoute, { ...input, body: { workload } }),
      )
      return { to: `/keys/${key.id}`, message: 'key_updated' }
    },
  },
})
