import { getKeyRoute, revokeKeyRoute } from '../../../api/routes/api-keys.ts'
import { readKeyLineage, type KeyLineage } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { ConfirmationPage } from '../../view/confirmation.tsx'
import { CheckBoxes } from '../../view/fields.tsx'
import { Time } from '../../view/time.tsx'
import { keyCrumbs } from './key-header.tsx'
import { LineageSection } from './lineage.tsx'

export const revokeKeyPage = page({
  path: '/keys/:id/revoke',
  access: 'apikeys.create',
  async show({ call, params, services, caller }) {
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    const lineage = await readKeyLineage(services, caller, key.id)
    return {
      title: `Revoke ${key.name}`,
      body: (
        <ConfirmationPage
          title="Revoke this key?"
          crumbs={keyCrumbs(key)}
          action="revoke"
          isFinal
          consequence={[
            'This cannot be undone',
            'The key stops working immediately. Programs that use it will fail to authenticate.',
          ]}
          facts={[
            ['Name', <bdi>{key.name}</bdi>],
            ['Key ID', <code>{key.id}</code>],
            ['Last used', <Time at={key.last_used_at} />],
            ['Requests today', key.requests_today.toLocaleString('en')],
          ]}
          button="Revoke key"
          cancel={`/keys/${key.id}`}
        >
          {lineage.hasUnrevoked && <Descendants lineage={lineage} />}
        </ConfirmationPage>
      ),
    }
  },
  actions: {
    async revoke({ call, params, form }) {
      const id = params.id
      const descendants = form.text('descendants')
      await call(revokeKeyRoute, { params: { id }, query: { descendants } })
      const message = descendants === 'true' ? 'keys_revoked' : 'key_revoked'
      return { to: `/keys/${id}`, message }
    },
  },
})

/** What was created with the key, and the choice to revoke it, too. */
const Descendants = ({ lineage }: { lineage: KeyLineage }) => (
  <CheckBoxes name="descendants" label="Created with this key" chosen={[]}>
    {(isChosen) => (
      <div class="stack">
        <LineageSection lineage={lineage} />
        <label class="check">
          <input type="checkbox" name="descendants" value="true" checked={isChosen('true')} />
          <span>Also revoke everything that was created with this key</span>
          <span class="hint">
            Choose this if the token leaked: whoever had it may have created these keys and tokens.
            They stop working within seconds.
          </span>
        </label>
      </div>
    )}
  </CheckBoxes>
)
