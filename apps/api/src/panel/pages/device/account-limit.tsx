import { keyAccountsMax, reachesAllAccounts } from '@hosting/core'
import { listAccounts, type AccountName } from '@hosting/postgres'
import type { SignedInRequest } from '../../page.ts'
import { CheckBoxes, TextArea } from '../../view/fields.tsx'

/** The accounts that a person can limit a key to; `undefined` if there are too many for a list. */
export type AccountChoices = readonly AccountName[] | undefined

/** Reads the accounts that the signed-in person can access. */
export async function readAccountChoices({
  caller: { user, tenant },
  services: { database },
}: SignedInRequest): Promise<AccountChoices> {
  const userId = reachesAllAccounts(user.roles) ? undefined : user.id
  const owner = { tenantId: tenant.id, userId }
  const accounts = await listAccounts(database.prisma, owner, keyAccountsMax + 1)
  return accounts.length > keyAccountsMax ? undefined : accounts
}

/** Limits the key of a device to accounts. Nothing to choose: no field. */
export function AccountLimit({ choices, chosen }: { choices: AccountChoices; chosen: string[] }) {
  const label = 'Limit to accounts (optional)'
  if (!choices) {
    return (
      <TextArea
        name="accounts"
        label={label}
        hint="One account id per line. Leave empty for every account that you can access."
        value={chosen.join('\n')}
        variant="mono"
        spellcheck={false}
      />
    )
  }
  if (choices.length === 0) return null
  return (
    <CheckBoxes
      name="accounts"
      label={label}
      chosen={chosen}
      hint="Choose none for every account that you can access. A limited key reaches only these accounts, and nothing of the organization itself, such as webhooks."
    >
      {(isChosen) => (
        <div class="choices">
          {choices.map(({ id, name }) => (
            <label key={id} class="check">
              <input type="checkbox" name="accounts" value={id} checked={isChosen(id)} />
              <span>
                <bdi>{name}</bdi>
              </span>
              <span class="hint mono">{id}</span>
            </label>
          ))}
        </div>
      )}
    </CheckBoxes>
  )
}

/** The chosen accounts, from the check boxes or the text area; `undefined` if there are none. */
export function readChosenAccounts({ form }: Pick<SignedInRequest, 'form'>): string[] | undefined {
  const chosen = form
    .all('accounts')
    .flatMap((text) => text.split(/[\s,]+/))
    .filter((id) => id !== '')
  return chosen.length > 0 ? chosen : undefined
}
