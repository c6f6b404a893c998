import { Icon } from './icon.tsx'
import type { ComponentChildren } from 'preact'

/** How many characters at the end are always shown. */
const endLength = 6

/**
 * An id or address on one line. Where it does not fit, its middle is left out; the whole is in the tooltip, and is
 * what people copy and screen readers read.
 */
const Shortened = ({ id, text }: { id?: string; text: string }) => (
  <span class="shortened mono" id={id} title={text}>
    <span>{text.slice(0, -endLength)}</span>
    <span>{text.slice(-endLength)}</span>
  </span>
)

/** An id or address on one line, with a button that copies it if JavaScript is available. */
export const Copyable = ({
  id,
  text,
  name,
}: {
  /** Unique on the page. */
  id: string
  text: string
  /** What the text is, for screen readers. */
  name: string
}) => (
  <span class="copyable">
    <Shortened id={id} text={text} />
    <CopyButton of={id} name={name} />
  </span>
)

/** A button that copies the text of another element. It is shown if JavaScript is available. */
export const CopyButton = ({ of, name }: { of: string; name: string }) => (
  <>
    <button
      type="button"
      class="icon-button"
      data-copy={of}
      hidden
      aria-label={`Copy ${name}`}
      title={`Copy ${name}`}
    >
      <Icon name="copy" size={15} />
    </button>
    <span id={`${of}-copied`} class="quiet small" role="status" />
  </>
)

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
