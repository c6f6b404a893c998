import { getKeyRoute, revokeKeyRoute } from '../../../routes/api-keys.ts'
import { readKeyLineage, type KeyLineage } from '../../../use-cases/key-lineage.ts'
import { page } from '../../page.ts'
import { CheckBoxes } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { Alert, Card, DescriptionList, PageHeader, LinkButton } from '../../view/components.tsx'
import { Time } from '../../view/time.tsx'
import { crumbsOf } from './crumbs.ts'
import { LineageTree } from './lineage.tsx'

export const revokeKeyPage = page({
  path: '/keys/:id/revoke',
  access: 'apikeys.create',
  async show({ call, params, services, caller }) {
    const { key } = await call(getKeyRoute, { params: { id: params['id']! } })
    const lineage = await readKeyLineage(services, caller, key.id)
    return {
      title: `Revoke ${key.name}`,
      body: (
        <>
          <PageHeader title="Revoke this key?" crumbs={crumbsOf(key)} />
          <Card>
            <Form action="revoke">
              <Alert tone="bad" title="This cannot be undone">
                The key stops working immediately. Programs that use it will fail to authenticate.
              </Alert>
              <DescriptionList
                items={[
                  ['Name', <bdi>{key.name}</bdi>],
                  ['Key ID', <code>{key.id}</code>],
                  ['Last used', <Time at={key.last_used_at} />],
                  ['Requests today', key.requests_today.toLocaleString('en')],
                ]}
              />
              {lineage.unrevoked > 0 && <Descendants lineage={lineage} />}
              <div class="buttons">
                <Submit variant="danger">Revoke key</Submit>
                <LinkButton to={`/keys/${key.id}`}>Cancel</LinkButton>
              </div>
            </Form>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async revoke({ call, params, form }) {
      const id = params['id']!
      const descendants = form.text('descendants')
      await call(revokeKeyRoute, { params: { id }, query: { descendants } })
      const notice = descendants === 'true' ? 'keys_revoked' : 'key_revoked'
      return { to: `/keys/${id}`, notice }
    },
  },
})

/** The keys that were created with the key, and the choice to revoke them, too. */
const Descendants = ({ lineage }: { lineage: KeyLineage }) => (
  <CheckBoxes name="descendants" label="Keys created with this key" chosen={[]}>
    {(isChosen) => (
      <div class="stack">
        <LineageTree lineage={lineage} />
        <label class="check">
          <input type="checkbox" name="descendants" value="true" checked={isChosen('true')} />
          <span>Also revoke these keys</span>
          <span class="hint">
            Choose this if the token leaked: whoever had it may have created them.
          </span>
        </label>
      </div>
    )}
  </CheckBoxes>
)
