// Charts: a card shows the values of the column under the pointer or the finger, or that the arrow keys choose. Its content is
// a row of the table below the chart.

const card = document.createElement('div')
card.className = 'chart-card'
card.role = 'status'
card.hidden = true
document.body.append(card)

/** The chart whose card is shown, and the column. */
let shownChart
let shownIndex

const columnsOf = (chart) => [...chart.querySelectorAll('[data-point]')]

/** Makes charts one stop of the tab order each: the arrow keys choose a column, whose card says more than the browser's tooltip. */
export function prepareCharts(root) {
  for (const chart of root.querySelectorAll('[data-chart]')) {
    chart.setAttribute('tabindex', '0')
    chart.ariaLabel += ' Use the arrow keys to read the values.'
    for (const column of columnsOf(chart)) {
      const title = column.querySelector('title')
      if (column.matches('a')) {
        column.setAttribute('tabindex', '-1')
        column.ariaLabel = title.textContent
      }
      title?.remove()
    }
  }
}

/** The column at a position of the pointer; the nearest one beside the plot. */
function columnAt(chart, clientX) {
  const [from, to, width] = chart.dataset.chart.split(' ').map(Number)
  const box = chart.getBoundingClientRect()
  const share = (((clientX - box.left) / box.width) * width - from) / (to - from)
  const count = columnsOf(chart).length
  return Math.min(count - 1, Math.max(0, Math.floor(share * count)))
}

/** Shows the card of a column. With `byTouch`, it has the link of the column. */
function showCard(chart, index, byTouch = false) {
  if (shownChart === chart && shownIndex === index) return
  hideCard()
  shownChart = chart
  shownIndex = index
  const column = columnsOf(chart)[index]
  column.toggleAttribute('data-read', true)
  card.replaceChildren(...contentOf(chart, index))
  if (byTouch && column.matches('a')) {
    const link = document.createElement('a')
    link.href = column.getAttribute('href')
    link.textContent = 'View deliveries'
    card.append(link)
  }
  card.toggleAttribute('data-touched', byTouch)
  card.hidden = false
  placeCard(column.querySelector('.hit').getBoundingClientRect())
}

/** Above the column, and within the window. */
function placeCard(column) {
  const { width, height } = card.getBoundingClientRect()
  const center = column.left + column.width / 2
  const left = Math.min(
    Math.max(8, center - width / 2),
    document.documentElement.clientWidth - width - 8,
  )
  const above = column.top - height - 8
  card.style.left = `${left + scrollX}px`
  card.style.top = `${(above < 8 ? column.bottom + 8 : above) + scrollY}px`
}

function contentOf(chart, index) {
  const figure = chart.closest('figure')
  const names = [...figure.querySelectorAll('thead th')].map(({ textContent }) => textContent)
  const swatches = [...figure.querySelectorAll('.legend svg')]
  const cells = [...figure.querySelectorAll('tbody tr')[index].cells]
  const [time] = cells
  const heading = document.createElement('strong')
  heading.textContent = time.textContent
  const both = time.querySelector('time')?.title.split('\n') ?? []
  const otherZone = document.createElement('span')
  otherZone.className = 'under'
  const zone = time.textContent.slice(19)
  otherZone.textContent = both.filter((text) => !text.endsWith(zone)).join(', ')
  const list = document.createElement('dl')
  for (const [place, cell] of cells.entries()) {
    if (place === 0 || cell.textContent === '') continue
    const name = document.createElement('dt')
    const swatch = names[place] !== 'Notes' && swatches[place - 1]
    name.append(...(swatch ? [swatch.cloneNode(true)] : []), names[place])
    const value = document.createElement('dd')
    value.textContent = cell.textContent
    list.append(name, value)
  }
  return [heading, ...(otherZone.textContent === '' ? [] : [otherZone]), list]
}

function hideCard() {
  if (!shownChart) return
  for (const column of columnsOf(shownChart)) column.removeAttribute('data-read')
  shownChart = undefined
  card.hidden = true
  card.replaceChildren()
}

const chartOf = (target) => target.closest?.('[data-chart]')

document.addEventListener('pointermove', ({ target, clientX, pointerType }) => {
  const chart = chartOf(target)
  if (chart) showCard(chart, columnAt(chart, clientX), pointerType === 'touch')
  else if (pointerType !== 'touch' && shownChart !== document.activeElement) hideCard()
})

document.addEventListener('pointerdown', ({ target, clientX, pointerType }) => {
  const chart = chartOf(target)
  if (chart && pointerType === 'touch') showCard(chart, columnAt(chart, clientX), true)
  else if (!card.contains(target)) hideCard()
})

// A tap shows the card, which has the link.
document.addEventListener('click', (event) => {
  if (event.pointerType === 'touch' && chartOf(event.target)) event.preventDefault()
})

document.addEventListener('keydown', (event) => {
  const chart = chartOf(event.target)
  if (!chart) return
  const last = columnsOf(chart).length - 1
  const index = shownChart === chart ? shownIndex : undefined
  const next = {
    ArrowLeft: Math.max(0, (index ?? last + 1) - 1),
    ArrowRight: Math.min(last, (index ?? last - 1) + 1),
    Home: 0,
    End: last,
  }[event.key]
  if (next !== undefined) {
    event.preventDefault()
    showCard(chart, next)
  } else if (event.key === 'Escape') {
    hideCard()
  } else if (event.key === 'Enter' && index !== undefined) {
    const link = columnsOf(chart)[index].getAttribute('href')
    if (link) location.href = link
  }
})

document.addEventListener('focusout', ({ target }) => {
  if (target === shownChart) hideCard()
})
