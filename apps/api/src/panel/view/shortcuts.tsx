const shortcuts = [
  [['Ctrl', 'K'], 'Open the command menu'],
  [['/'], 'Go to the search field'],
  [['j'], 'Next row of a list'],
  [['k'], 'Previous row of a list'],
  [['Enter'], 'Open the row'],
  [['?'], 'Show these shortcuts'],
] as const

/** Shows the shortcuts. Without scripts there are none. */
export const ShortcutsButton = () => (
  <button type="button" class="button small wide" data-shortcuts data-scripted hidden>
    Keyboard shortcuts
  </button>
)

/** The list of shortcuts. Those without Ctrl can be turned off, as WCAG 2.1.4 requires. */
export const Shortcuts = () => (
  <dialog class="shortcuts" id="shortcuts" aria-labelledby="shortcuts-title">
    <h2 id="shortcuts-title">Keyboard shortcuts</h2>
    <dl>
      {shortcuts.map(([keys, description]) => (
        <div key={description}>
          <dt>{description}</dt>
          <dd>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
    <label class="check">
      <input type="checkbox" data-single-keys />
      <span>Use shortcuts of a single character in this browser</span>
    </label>
    <form method="dialog">
      <button type="submit" class="button">
        Close
      </button>
    </form>
  </dialog>
)
