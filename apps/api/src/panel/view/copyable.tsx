import { Icon } from './icon.tsx'
import { Shortened } from './shortened.tsx'

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
