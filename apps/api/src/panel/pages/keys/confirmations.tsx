import { getKeyRoute, revokeKeyRoute } from '../../../api/routes/api-keys.ts'
import { readKeyLineage, type KeyLineage } from '../../../api/for-pages.ts'
import type { KeyRecord } from '../../../api/schemas/api-key.ts'
import { page } from '../../page.ts'
import { confirmationView } from '../../view/confirmation.tsx'
import { CheckBoxes } from '../../view/fields.tsx'
import { Time } from '../../view/time.tsx'
import { keyCrumbs } from './key-header.tsx'
import { LineageSection } from './lineage.tsx'

/** Asks before a key is disabled. */
export const disableKeyPage = page({
  path: '/keys/:id/disable',
  access: 'apikeys.create',
  async show({ call, params }) {
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    return confirmationView(`Disable ${key.name}`, {
      question: 'Disable this key?',
      action: 'disable',
      to: `/keys/${key.id}`,
      consequence: [
        'Programs that use the key will fail to authenticate',
        'All requests with it are rejected until you enable the key again.',
      ],
      button: 'Disable key',
      ...subjectOf(key),
    })
  },
})

/** Asks before a key is revoked. */
export const revokeKeyPage = page({
  path: '/keys/:id/revoke',
  access: 'apikeys.create',
  async show({ call, params, services, caller }) {
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    const lineage = await readKeyLineage(services, caller, key.id)
    return confirmationView(`Revoke ${key.name}`, {
      question: 'Revoke this key?',
      action: 'revoke',
      isFinal: true,
      consequence: [
        'This cannot be undone',
        'The key stops working immediately. Programs that use it will fail to authenticate.',
      ],
      button: 'Revoke key',
      fields: lineage.hasUnrevoked && <Descendants lineage={lineage} />,
      ...subjectOf(key),
    })
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

/** What both pages say about a key. */
const subjectOf = (key: KeyRecord) => ({
  crumbs: keyCrumbs(key),
  cancel: `/keys/${key.id}`,
  facts: [
    ['Name', <bdi>{key.name}</bdi>],
    ['Key ID', <code>{key.id}</code>],
    ['Last used', <Time at={key.last_used_at} />],
    ['Requests today', key.requests_today.toLocaleString('en')],
  ] as const,
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
