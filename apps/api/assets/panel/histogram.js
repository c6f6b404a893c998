// Histograms above lists: a range of bars is selected by dragging, or by Shift with the arrow keys and Enter. Every bar with
// records is a link, which works without scripts.

const barsOf = (histogram) => [...histogram.querySelectorAll('[data-since]')]

let drag

function show(histogram, [first, last]) {
  for (const [index, bar] of barsOf(histogram).entries()) {
    bar.toggleAttribute('data-chosen', index >= first && index <= last)
  }
}

function open(histogram, [first, last]) {
  const bars = barsOf(histogram)
  const url = new URL(histogram.dataset.histogram, location.href)
  url.searchParams.set('since', bars[first].dataset.since)
  url.searchParams.set('until', bars[last].dataset.until)
  location.href = url.href
}

const ordered = (one, other) => [Math.min(one, other), Math.max(one, other)]

/** The bar at a position of the pointer, also beside the histogram. */
function indexAt(histogram, clientX) {
  const { left, width } = histogram.querySelector('svg').getBoundingClientRect()
  const count = barsOf(histogram).length
  return Math.min(count - 1, Math.max(0, Math.floor(((clientX - left) / width) * count)))
}

const histogramOf = (target) =>
  target.closest?.('svg') ? target.closest('[data-histogram]') : undefined

document.addEventListener('pointerdown', ({ target, clientX, button, pointerType }) => {
  const histogram = histogramOf(target)
  if (!histogram || button !== 0 || pointerType === 'touch') return
  drag = { id: histogram.parentElement.id, from: indexAt(histogram, clientX), moved: false }
})

const dragged = () => document.querySelector(`#${CSS.escape(drag.id)} [data-histogram]`)

document.addEventListener('pointermove', ({ clientX }) => {
  const histogram = drag && dragged()
  if (!histogram) return
  const to = indexAt(histogram, clientX)
  drag.moved ||= to !== drag.from
  if (drag.moved) show(histogram, ordered(drag.from, to))
})

document.addEventListener('pointerup', ({ clientX }) => {
  const histogram = drag?.moved && dragged()
  if (histogram) open(histogram, ordered(drag.from, indexAt(histogram, clientX)))
  // The click that follows a drag opens no bar.
  if (drag?.moved) {
    addEventListener('click', (event) => event.preventDefault(), { capture: true, once: true })
  }
  drag = undefined
})

// The browser would drag the link instead.
document.addEventListener('dragstart', (event) => {
  if (histogramOf(event.target)) event.preventDefault()
})

let chosen

document.addEventListener('keydown', (event) => {
  const { target, key, shiftKey } = event
  const histogram = histogramOf(target)
  if (!histogram) return
  const bars = barsOf(histogram)
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
  if (step !== undefined) {
    event.preventDefault()
    const index = bars.indexOf(target)
    if (shiftKey) {
      const [from, to] = chosen ?? [index, index]
      chosen = [from, Math.min(bars.length - 1, Math.max(0, to + step))]
      show(histogram, ordered(...chosen))
      return
    }
    const others = step < 0 ? bars.slice(0, index).toReversed() : bars.slice(index + 1)
    others.find((bar) => bar.matches('a'))?.focus()
  } else if (key === 'Enter' && chosen) {
    event.preventDefault()
    open(histogram, ordered(...chosen))
  }
  if (key !== 'Shift' && chosen) {
    chosen = undefined
    show(histogram, [-1, -2])
  }
})
