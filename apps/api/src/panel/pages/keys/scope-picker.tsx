import {
  resourceLabels,
  resources,
  scopeCovers,
  scopes as allScopes,
  type Scope,
} from '@hosting/core/scopes'
import { CheckBoxes, ImpliedBox } from '../../view/fields.tsx'
import { usePage } from '../../view/context.ts'
import { presetLink, readPrefill } from './prefill.ts'
import { scopePresets } from './scope-presets.ts'

const resourcesByName = resources
  .map((resource) => ({ resource, ...resourceLabels[resource] }))
  .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))

/**
 * Chooses a key's scopes: full access, read access to everything, or access by resource. What a chosen scope
 * implies is checked and disabled. Presets are links, so they work without scripts.
 */
export const ScopePicker = ({ chosen }: { chosen: readonly string[] }) => {
  const { url } = usePage()
  return (
    <CheckBoxes
      name="scopes"
      label="Scopes"
      chosen={readPrefill(url).scopes ?? chosen}
      hint="What the key may do, within the limits of your role. Write includes read."
    >
      {(isChosen) => (
        <div class="stack" data-scopes="">
          <Presets url={url} chosen={allScopes.filter(isChosen)} />
          <div class="choices cards">
            <BroadScope value="*" label="Full access" isChosen={isChosen}>
              Everything that your role permits.
            </BroadScope>
            <BroadScope value="*:read" label="Read everything" isChosen={isChosen}>
              What your role permits, without changes.
            </BroadScope>
          </div>
          <div class="matrix">
            {resourcesByName.map(({ resource, name, covers }) => (
              <div key={resource} class="matrix-row" role="group" aria-label={name}>
                <span>
                  {name}
                  <span class="under">{covers}</span>
                </span>
                <span>
                  {(['read', 'write'] as const).map((access) => (
                    <label key={access} title={`${resource}:${access}`}>
                      <ScopeBox value={`${resource}:${access}`} isChosen={isChosen} />
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
}

const Presets = ({ url, chosen }: { url: string; chosen: readonly Scope[] }) => (
  <nav class="presets" aria-label="Presets">
    <p class="hint">Start with a preset, or choose below.</p>
    <ul>
      {scopePresets.map(({ id, label, hint, scopes }) => (
        <li key={id}>
          <a
            class="button small"
            href={presetLink(url, id)}
            data-preset={scopes.join(' ')}
            aria-current={isPreset(scopes, chosen) ? 'true' : undefined}
          >
            {label}
          </a>
          <span class="hint">{hint}</span>
        </li>
      ))}
    </ul>
  </nav>
)

/** Whether exactly these scopes are chosen. */
const isPreset = (scopes: readonly Scope[], chosen: readonly Scope[]): boolean =>
  chosen.length > 0 &&
  chosen.length === scopes.length &&
  scopes.every((scope) => chosen.includes(scope))

const coveringScopes = (value: Scope): Scope[] =>
  allScopes.filter((scope) => scope !== value && scopeCovers(scope, value))

interface Choosing {
  readonly value: Scope
  readonly isChosen: (value: string) => boolean
}

const ScopeBox = (choosing: Choosing) => (
  <ImpliedBox name="scopes" {...choosing} impliedBy={coveringScopes(choosing.value)} />
)

const BroadScope = ({
  label,
  children,
  ...choosing
}: Choosing & { label: string; children: string }) => (
  <label class="check">
    <ScopeBox {...choosing} />
    <span>
      {label} <code>{choosing.value}</code>
    </span>
    <span class="hint">{children}</span>
  </label>
)
