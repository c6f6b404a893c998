import { createContext, type ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { usePage } from './context.ts'
import { Icon } from './icon.tsx'

/** How often a page updates that has no other pace, in ms. */
export const pageUpdateMs = 5_000

/** How often the newest page of a list of deliveries or events updates, in ms. */
export const listUpdateMs = 2_000

/** How often the page updates, in ms. `undefined`: never. */
export const UpdateMs = createContext<number | undefined>(undefined)

/** A part of the page that updates with it. */
export const Live = ({
  id,
  className,
  children,
}: {
  id: string
  className?: string
  children: ComponentChildren
}) => (
  <div id={id} class={className} data-live={useContext(UpdateMs)}>
    {children}
  </div>
)

/**
 * A table of a live part, of which only changed rows are replaced. Its rows need ids. Screen readers announce the number
 * of new rows, by what a row is.
 */
export const LiveRows = ({
  one,
  many,
  children,
}: {
  one: string
  many: string
  children: ComponentChildren
}) => (
  <div data-rows data-one={one} data-many={many}>
    {children}
  </div>
)

/** Says how old a live page is, and pauses it. Without scripts, it is a link that reloads the page. */
export function LiveControls() {
  const { url } = usePage()
  if (useContext(UpdateMs) === undefined) return null
  return (
    <div class="live-controls">
      <noscript>
        <a class="button small" href={url}>
          Refresh
        </a>
      </noscript>
      <span data-age data-scripted hidden>
        Updated just now
      </span>
      <button
        type="button"
        class="icon-button"
        data-pause
        data-scripted
        hidden
        aria-label="Pause updates"
        title="Pause updates"
      >
        <Icon name="pause" size={15} />
        <Icon name="play" size={15} />
      </button>
      <span id="live-status" class="visually-hidden" role="status" />
    </div>
  )
}
