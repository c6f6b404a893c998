import { getKeyRoute, rotateKeyRoute } from '../../../api/routes/api-keys.ts'
import { page } from '../../page.ts'
import { Form, Submit } from '../../view/form.tsx'
import {
  ConfirmWithoutOverlap,
  isWithoutOverlap,
  mustConfirmOverlap,
  OverlapPicker,
  withoutOverlapUrl,
} from '../../view/overlap-picker.tsx'
import { Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { readPreviousSecretUse } from '../../../api/for-pages.ts'
import { keyCrumbs } from './crumbs.ts'
import { PreviousTokenNote } from './previous-token.tsx'

export const rotateKeyPage = page({
  path: '/keys/:id/rotate',
  access: 'apikeys.create',
  confirmed: true,
  async show({ call, params, query, services, caller }) {
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    const previous = await readPreviousSecretUse(services, caller, key.id)
    if (isWithoutOverlap(query)) {
      const path = `/keys/${key.id}/rotate`
      return {
        title: 'Rotate without an overlap period',
        body: (
          <ConfirmWithoutOverlap
            what="token"
            crumbs={keyCrumbs(key)}
            path={path}
            consequence="Programs that use it, or an earlier one, fail to authenticate until they have the new token."
          />
        ),
      }
    }
    return {
      title: `Rotate ${key.name}`,
      body: (
        <>
          <PageHeader title="Rotate key" crumbs={keyCrumbs(key)}>
            Creates a new token for the key. Its ID, scopes and settings stay the same.
          </PageHeader>
          {previous && <PreviousTokenNote record={key} caller={caller} use={previous} />}
          <Card>
            <Form action="rotate">
              <OverlapPicker what="token" />
              <div class="buttons">
                <Submit>Rotate key</Submit>
                <LinkButton to={`/keys/${key.id}`}>Cancel</LinkButton>
              </div>
            </Form>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async rotate({ call, params, form }) {
      if (mustConfirmOverlap(form)) return { to: withoutOverlapUrl(`/keys/${params.id}/rotate`) }
      const { key, token } = await call(rotateKeyRoute, {
        params: { id: params.id },
        body: { grace_seconds: form.number('grace_seconds') },
      })
      return { to: `/keys/${key.id}/token`, flashSecret: { text: token, seconds: 60 } }
    },
  },
})
