import { resources } from '@hosting/core'
import { CheckBoxes } from '../../view/fields.tsx'

/** Chooses a key's scopes: full access, read access to everything, or access by resource. */
export const ScopePicker = ({ chosen }: { chosen: readonly string[] }) => (
  <CheckBoxes
    name="scopes"
    label="Scopes"
    chosen={chosen}
    hint="What the key may do, within the limits of your role. Write includes read."
  >
    {(isChosen) => (
      <div class="stack">
        <div class="choices cards">
          <BroadScope value="*" label="Full access" isChosen={isChosen}>
            Everything that your role permits.
          </BroadScope>
          <BroadScope value="*:read" label="Read only" isChosen={isChosen}>
            Reads everything that your role permits, and changes nothing.
          </BroadScope>
        </div>
        <div class="matrix">
          {resources.map((resource) => (
            <div key={resource} class="matrix-row" role="group" aria-label={resource}>
              <span>{resource}</span>
              <span>
                {(['read', 'write'] as const).map((access) => (
                  <label key={access}>
                    <input
                      type="checkbox"
                      name="scopes"
                      value={`${resource}:${access}`}
                      checked={isChosen(`${resource}:${access}`)}
                    />
                    {access}
                    <span class="visually-hidden"> {resource}</span>
                  </label>
                ))}
              </span>
            </div>
          ))}
        </div>
      </div>
    )}
  </CheckBoxes>
)

const BroadScope = ({
  value,
  label,
  isChosen,
  children,
}: {
  value: string
  label: string
  isChosen: (value: string) => boolean
  children: string
}) => (
  <label class="check">
    <input type="checkbox" name="scopes" value={value} checked={isChosen(value)} />
    <span>
      {label} <code>{value}</code>
    </span>
    <span class="hint">{children}</span>
  </label>
)
