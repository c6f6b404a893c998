import type { AccountChoices } from '../../api/for-pages.ts'
import type { SubmittedForm } from '../form.ts'
import { CheckBoxes, TextArea } from '../view/fields.tsx'

/** What a choice of accounts does. */
const hints = {
  key: 'Limits the key to these accounts. Such a key cannot use what belongs to the whole organization, such as webhooks and the audit log. Choose none to allow every account that the key’s user can access.',
  endpoint:
    'Only events of these accounts are sent. Events without an account are not. Choose none to send all events.',
}

/** Chooses the accounts of a key or an endpoint: from a list, or by their ids if there are too many to list. */
export function AccountPicker({
  choices: { accounts, isCut },
  chosen,
  of,
}: {
  choices: AccountChoices
  chosen: readonly string[]
  of: keyof typeof hints
}) {
  const hint = hints[of]
  if (accounts.length === 0 && chosen.length === 0) return null
  if (isCut) {
    return (
      <TextArea
        name="accounts"
        label="Accounts (optional)"
        hint={`${hint} One account ID per line.`}
        value={chosen.join('\n')}
        variant="mono"
        spellcheck={false}
      />
    )
  }
  const known = new Set(accounts.map(({ id }) => id))
  const gone = chosen.filter((id) => !known.has(id)).map((id) => ({ id, name: 'Unknown account' }))
  return (
    <CheckBoxes name="accounts" label="Accounts (optional)" chosen={chosen} hint={hint}>
      {(isChosen) => (
        <div class="choices cards">
          {[...accounts, ...gone].map(({ id, name }) => (
            <label key={id} class="check">
              <input type="checkbox" name="accounts" value={id} checked={isChosen(id)} />
              <span>
                <bdi>{name}</bdi>
              </span>
              <span class="hint">{id}</span>
            </label>
          ))}
        </div>
      )}
    </CheckBoxes>
  )
}

/** The chosen accounts; null for no limit. */
export function readAccountIds(form: SubmittedForm): string[] | null {
  const ids = form
    .all('accounts')
    .flatMap((text) => text.split(/[\s,]+/))
    .filter((id) => id !== '')
  return ids.length > 0 ? ids : null
}

/** Whether two choices of accounts are the same. */
export const isSameChoice = (
  some: readonly string[] | null,
  others: readonly string[] | null,
): boolean =>
  some === null || others === null
    ? some === others
    : some.length === others.length && some.every((id) => others.includes(id))
