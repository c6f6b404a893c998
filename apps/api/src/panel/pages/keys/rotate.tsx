import { getKeyRoute, rotateKeyRoute } from '../../../api/routes/api-keys.ts'
import { readPreviousSecretUse } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { rotationView, submitRotation } from '../../view/rotation.tsx'
import { keyCrumbs } from './key-header.tsx'
import { PreviousTokenNote } from './previous-token.tsx'

export const rotateKeyPage = page({
  path: '/keys/:id/rotate',
  access: 'apikeys.create',
  confirmed: true,
  async show({ call, params, query, services, caller }) {
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    const previous = await readPreviousSecretUse(services, caller, key.id)
    return rotationView(
      {
        what: 'token',
        title: `Rotate ${key.name}`,
        heading: 'Rotate key',
        crumbs: keyCrumbs(key),
        button: 'Rotate key',
        consequence:
          'Programs that use it, or an earlier one, fail to authenticate until they have the new token.',
        owner: `/keys/${key.id}`,
        intro: 'Creates a new token for the key. Its ID, scopes and settings stay the same.',
        note: previous && <PreviousTokenNote record={key} caller={caller} use={previous} />,
      },
      query,
    )
  },
  actions: {
    rotate: ({ call, params: { id }, form }) =>
      submitRotation(form, `/keys/${id}`, async (body) => {
        const { key, token } = await call(rotateKeyRoute, { params: { id }, body })
        return { to: `/keys/${key.id}/token`, flashSecret: { text: token, seconds: 60 } }
      }),
  },
})
