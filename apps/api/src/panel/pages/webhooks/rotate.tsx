import { getEndpointRoute, rotateSecretRoute } from '../../../api/routes/webhooks.ts'
import { page } from '../../page.ts'
import { rotationView, submitRotation } from '../../view/rotation.tsx'
import { endpointCrumbs } from './endpoint-header.tsx'

export const rotateSecretPage = page({
  path: '/webhooks/:id/rotate',
  access: 'webhooks.manage',
  confirmed: true,
  async show({ call, params, query }) {
    const { webhook: endpoint } = await call(getEndpointRoute, { params: { id: params.id } })
    return rotationView(
      {
        what: 'secret',
        title: 'Rotate signing secret',
        heading: 'Rotate signing secret',
        crumbs: endpointCrumbs(endpoint),
        button: 'Rotate secret',
        consequence:
          'Requests are signed with the new secret only. Your receiver rejects them until it has the new secret.',
        owner: `/webhooks/${endpoint.id}`,
        intro:
          'During the overlap period every request carries a signature for each valid secret, so your receiver keeps working.',
      },
      query,
    )
  },
  actions: {
    rotate: ({ call, params: { id }, form }) =>
      submitRotation(form, `/webhooks/${id}`, async (body) => {
        const { secret } = await call(rotateSecretRoute, { params: { id }, body })
        return { to: `/webhooks/${id}/secret`, flashSecret: { text: secret, seconds: 60 } }
      }),
  },
})
