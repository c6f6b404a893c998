import { usePage } from './context.ts'
import { Icon } from './icon.tsx'

/** The form of the search page, and of the command menu. */
export const PanelSearch = ({ id, value }: { id: string; value?: string | undefined }) => (
  <form class="search-form" method="get" action="/search" role="search">
    <Icon name="search" />
    <label class="visually-hidden" for={id}>
      Page, endpoint, key or delivery
    </label>
    <input
      class="input"
      id={id}
      name="q"
      type="search"
      value={value}
      maxlength={100}
      placeholder="Page, endpoint, key or delivery"
      autocomplete="off"
      spellcheck={false}
    />
    <button type="submit" class="button primary">
      Search
    </button>
  </form>
)

/** The search page as a dialog, which Ctrl-K opens. Scripts load what it finds. */
export const CommandMenu = () =>
  usePage().url.split('?')[0] === '/search' ? null : (
    <dialog class="command-menu" id="command-menu" aria-label="Command menu">
      <PanelSearch id="command-text" />
      <div id="found" />
    </dialog>
  )
