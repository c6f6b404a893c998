import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

/** A secret that is shown only once, with a copy button if JavaScript is available. */
export const OneTimeSecret = ({
  label,
  secret,
  children,
}: {
  label: string
  secret: string
  children?: ComponentChildren
}) => (
  <div class="secret">
    <h2 id="secret-label">{label}</h2>
    <output id="secret" aria-labelledby="secret-label">
      {secret}
    </output>
    <div class="buttons">
      <button type="button" class="button primary" data-copy="secret" hidden>
        <Icon name="copy" />
        Copy
      </button>
      <span id="secret-copied" class="quiet" role="status" />
    </div>
    {children}
  </div>
)
