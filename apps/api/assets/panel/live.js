// Live content: an element with an id and `data-live` is loaded again from the same page after
// that many milliseconds.

import { prepareCharts } from './charts.js'
import { localizeTimes, showDistances } from './time.js'

let isPaused = false
let updatedMs = Date.now()

/** Prepares new content for this browser. */
export function enhance(root) {
  localizeTimes(root)
  prepareCharts(root)
  for (const element of root.querySelectorAll('[data-scripted]')) element.hidden = false
  if (!navigator.clipboard) return
  for (const button of root.querySelectorAll('[data-copy]')) button.hidden = false
}

const liveElements = () => [...document.querySelectorAll('[data-live]')]

/** Loads the page again as an inert document and shows the new content of its live elements. */
function refresh() {
  const request = new XMLHttpRequest()
  request.open('GET', location.href)
  request.responseType = 'document'
  // What a page shows once, such as a notice, is not for an update.
  request.setRequestHeader('Live-Update', '1')
  request.onloadend = () => {
    const page = request.status === 200 ? request.response : null
    const parts = liveElements().map((shown) => [shown, page?.getElementById(shown.id)])
    const isLoaded = parts.every(([, part]) => part)
    if (isLoaded && !isPaused) {
      for (const [shown, part] of parts) update(shown, part)
      updatedMs = Date.now()
    }
    const isSignedOut = new URL(request.responseURL || location.href).pathname === '/sign-in'
    if (isLoaded) interruption.remove()
    else showInterruption(isSignedOut ? 'Your session has ended.' : 'Updates interrupted.')
    if (!isSignedOut) watch(isLoaded ? 1 : 5)
  }
  request.send()
}

const interruption = document.createElement('p')
interruption.role = 'alert'

/** Says beside the pause button, or before the live content, that it is not current. */
function showInterruption(text) {
  if (interruption.isConnected && interruption.textContent.startsWith(text)) return
  const link = document.createElement('a')
  link.href = location.pathname + location.search
  link.textContent = 'Reload page'
  interruption.replaceChildren(`${text} `, link)
  const place = document.querySelector('[data-pause]') ?? liveElements()[0]
  place?.before(interruption)
}

/**
 * An unchanged element stays in place, so that screen readers do not announce it again. So does one in which text is
 * selected, or whose chart is being read.
 */
function update(shown, part) {
  enhance(part)
  showDistances(shown)
  keepOpen(shown, part)
  const [list, newList] = [shown, part].map((each) => each.querySelector('[data-rows]'))
  if (list && newList) return updateRows(list, newList)
  if (part.isEqualNode(shown) || hasSelection(shown) || shown.querySelector('[data-read]')) return
  const focused = [shown, ...controlsOf(shown)].indexOf(document.activeElement)
  shown.replaceWith(document.adoptNode(part))
  if (focused >= 0) [part, ...controlsOf(part)][focused]?.focus({ preventScroll: true })
}

function hasSelection(element) {
  const selection = getSelection()
  return !selection.isCollapsed && element.contains(selection.anchorNode)
}

/** What the viewer has opened stays open. */
function keepOpen(shown, part) {
  const opened = [...shown.querySelectorAll('details')].map(({ open }) => open)
  for (const [index, details] of part.querySelectorAll('details').entries()) {
    details.open = opened[index] ?? false
  }
}

/** Replaces only the rows that are new or changed. Both lists have the same order. */
function updateRows(list, newList) {
  const [body, part] = [list, newList].map((each) => each.querySelector('tbody'))
  const known = new Map([...body.rows].map((row) => [row.id, row]))
  let place = body.firstElementChild
  let added = 0
  for (const row of Array.from(part.rows)) {
    const old = known.get(row.id)
    if (old?.isEqualNode(row)) {
      while (place !== old) place = removed(place)
      place = old.nextElementSibling
      continue
    }
    body.insertBefore(document.adoptNode(row), place)
    if (old) keepState(old, row)
    else {
      added += 1
      row.classList.add('fresh')
      setTimeout(() => row.removeAttribute('class'), 1_900)
    }
  }
  while (place) place = removed(place)
  const status = document.getElementById('live-status')
  const { one, many } = list.dataset
  if (added > 0) status.textContent = added === 1 ? `1 new ${one}` : `${added} new ${many}`
  body.dispatchEvent(new Event('change', { bubbles: true }))
}

const controlsOf = (row) => [...row.querySelectorAll('a, button, input')]

/** A row that changes stays selected and focused. */
function keepState(old, row) {
  const [before, after] = [controlsOf(old), controlsOf(row)]
  for (const [index, { checked }] of before.entries()) {
    if (checked && after[index]?.type === 'checkbox') after[index].checked = true
  }
  after[before.indexOf(document.activeElement)]?.focus()
}

/** Removes a row and returns the next one. */
function removed(row) {
  const next = row.nextElementSibling
  row.remove()
  return next
}

function watch(patience) {
  const intervalMs = Math.min(...liveElements().map(({ dataset }) => Number(dataset.live)))
  if (intervalMs === Infinity) return
  const isIdle = () => document.hidden || isPaused
  setTimeout(() => (isIdle() ? watch(1) : refresh()), intervalMs * patience)
}

enhance(document)
watch(1)

const age = document.querySelector('[data-age]')
if (age) setInterval(() => (age.textContent = `Updated ${agoText(Date.now() - updatedMs)}`), 1_000)

function agoText(ms) {
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 10) return 'just now'
  return seconds < 60 ? `${seconds} s ago` : `${Math.floor(seconds / 60)} min ago`
}

document.querySelector('[data-pause]')?.addEventListener('click', ({ currentTarget: button }) => {
  isPaused = !isPaused
  button.toggleAttribute('data-paused', isPaused)
  button.title = isPaused ? 'Resume updates' : 'Pause updates'
  button.ariaLabel = button.title
})
