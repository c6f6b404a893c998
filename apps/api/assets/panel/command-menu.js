// The command menu: the search page as a dialog. Without scripts, its button leads to the page.

const commandMenu = document.getElementById('command-menu')
const commandText = commandMenu?.querySelector('input')

/** The text of what the menu shows, and the number of the latest request. */
let shownText
let latestSearch = 0
let searchTimer

export function openCommandMenu() {
  // The search page itself has no menu.
  if (!commandMenu) return document.getElementById('search-text')?.focus()
  if (!commandMenu.open) commandMenu.showModal()
  commandText.select()
  loadCommands()
}

/** Shows what the search page finds. */
function loadCommands() {
  const text = commandText.value.trim()
  const number = ++latestSearch
  const request = new XMLHttpRequest()
  request.open('GET', text === '' ? '/search' : `/search?${new URLSearchParams({ q: text })}`)
  request.responseType = 'document'
  request.onloadend = () => {
    if (number !== latestSearch || !commandMenu.open) return
    const found = request.response?.getElementById('found')
    // The session has ended: this is the page for signing in.
    if (!found && request.status === 200) return commandMenu.querySelector('form').submit()
    if (!found) return
    showFound(document.adoptNode(found))
    shownText = text
  }
  request.send()
}

/** Replaces what the menu shows. The focus stays on its result, or returns to the text if that is gone. */
function showFound(found) {
  const shown = commandMenu.querySelector('#found')
  const focused = shown.contains(document.activeElement) && document.activeElement.href
  shown.replaceWith(found)
  if (!focused) return
  const same = [...found.querySelectorAll('a')].find(({ href }) => href === focused)
  ;(same ?? commandText).focus()
}

function moveFocus(step) {
  const stops = [commandText, ...commandMenu.querySelectorAll('#found a')]
  const at = stops.indexOf(document.activeElement) + step
  stops[(at + stops.length) % stops.length].focus()
}

commandText?.addEventListener('input', () => {
  clearTimeout(searchTimer)
  searchTimer = setTimeout(loadCommands, 150)
})

commandMenu?.addEventListener('keydown', (event) => {
  if (runMenuKey(event)) event.preventDefault()
})

/** Acts on a key. Returns whether it did. */
function runMenuKey({ key, target }) {
  if (key === 'ArrowDown') moveFocus(1)
  else if (key === 'ArrowUp') moveFocus(-1)
  // In a search field, the browser's Escape only removes the text.
  else if (key === 'Escape') commandMenu.close()
  else {
    // While the first result is not there yet, Enter submits the form.
    const isFound = target === commandText && commandText.value.trim() === shownText
    const first = key === 'Enter' && isFound && commandMenu.querySelector('#found a')
    if (first) first.click()
    return Boolean(first)
  }
  return true
}

// A click on the backdrop is a click on the dialog itself.
commandMenu?.addEventListener(
  'click',
  ({ target }) => target === commandMenu && commandMenu.close(),
)

for (const link of document.querySelectorAll('[data-command-menu]')) {
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    openCommandMenu()
  })
}
