// Keyboard shortcuts. Those of a single character can be turned off in the list of shortcuts.

import { openCommandMenu } from './command-menu.js'

const shortcutList = document.getElementById('shortcuts')
const switcher = shortcutList?.querySelector('[data-single-keys]')
const isMac = navigator.platform.startsWith('Mac')

const singleKeys = {
  '/': () => {
    const field = document.querySelector('main input[type=search]')
    if (field) field.focus()
    else openCommandMenu()
  },
  '?': () => shortcutList.showModal(),
  j: () => focusRow(1),
  k: () => focusRow(-1),
}

/** Focuses the link of the next or previous row of the list, at first the first one. */
function focusRow(step) {
  const rows = [...document.querySelectorAll('main .list tbody tr')]
    .map((row) => row.querySelector('.row-link, summary'))
    .filter((target) => target !== null)
  const at = rows.findIndex((target) => target.closest('tr').contains(document.activeElement))
  rows[at < 0 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus()
}

const isTyping = ({ target }) =>
  target.matches('input:not([type=checkbox], [type=radio]), textarea, select')

document.addEventListener('keydown', (event) => {
  if (!shortcutList) return
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  const opensMenu = key.toLowerCase() === 'k' && (isMac ? metaKey : ctrlKey) && !altKey && !shiftKey
  const act = opensMenu ? openCommandMenu : singleKeys[key]
  if (!act || event.defaultPrevented) return
  if (!opensMenu) {
    if (ctrlKey || metaKey || altKey || isTyping(event) || !switcher.checked) return
    if (document.querySelector('dialog[open]')) return
  }
  event.preventDefault()
  act()
})

if (shortcutList) {
  switcher.checked = localStorage.getItem('single-keys') !== 'off'
  switcher.addEventListener('change', () => {
    if (switcher.checked) localStorage.removeItem('single-keys')
    else localStorage.setItem('single-keys', 'off')
  })
  shortcutList.addEventListener(
    'click',
    ({ target }) => target === shortcutList && shortcutList.close(),
  )
  document
    .querySelector('[data-shortcuts]')
    ?.addEventListener('click', () => shortcutList.showModal())
  if (isMac) {
    for (const key of document.querySelectorAll('.search-link kbd')) key.textContent = '⌘ K'
    shortcutList.querySelector('kbd').textContent = '⌘'
  }
}
