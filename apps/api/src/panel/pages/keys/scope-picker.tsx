import { resources } from '@hosting/core'
import { CheckBoxes } from '../../view/fields.tsx'

/** The picker of a key's scopes: everything, all reading, or resource by resource. */
export const ScopePicker = ({ chosen }: { chosen: readonly string[] }) => (
  <CheckBoxes
    name="scopes"
    label="Scopes"
    chosen={chosen}
    hint="What programs may do with the key, as far as your own role permits it. Writing includes reading."
  >
    {(isChosen) => (
      <div class="stack">
        <div class="choices cards">
          <Wide value="*" label="Everything" isChosen={isChosen}>
            All that you may do yourself.
          </Wide>
          <Wide value="*:read" label="Read everything" isChosen={isChosen}>
            Sees all of it and changes nothing.
          </Wide>
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

const Wide = ({
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
