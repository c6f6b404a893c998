/** How many characters at the end are always shown. */
const endLength = 6

/**
 * An id or address on one line. Where it does not fit, its middle is left out; the whole is in the tooltip, and is
 * what people copy and screen readers read.
 */
export const Shortened = ({ id, text }: { id?: string; text: string }) => (
  <span class="shortened mono" id={id} title={text}>
    <span>{text.slice(0, -endLength)}</span>
    <span>{text.slice(-endLength)}</span>
  </span>
)
