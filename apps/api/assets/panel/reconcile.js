// Compares a list of event ids with the event log of an endpoint, like `hctl webhooks reconcile`: in pages of the API, and
// in this browser. Nothing of the list is sent.

import { localizeTimes } from './time.js'

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i
/** How many pages of deliveries are read to find out what became of missing events. */
const deliveryPagesMax = 1_000
const shownIdsMax = 100

/** The ids of a list: the first of each line. */
async function readIds(list) {
  const ids = new Set()
  const add = (line) => {
    const id = uuid.exec(line)?.[0]
    if (id) ids.add(id.toLowerCase())
  }
  let rest = ''
  const reader = list.stream().pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    const lines = (rest + value).split('\n')
    rest = lines.pop()
    lines.forEach(add)
  }
  add(rest)
  return ids
}

/** Reads a page of the API. While it is busy, it waits as long as the response says. */
async function readPage(path, query) {
  for (let tries = 1; ; tries++) {
    const response = await fetch(`/api/v1${path}?${new URLSearchParams(query)}`)
    const body = await response.json()
    if (response.ok) return body
    const seconds = Number(response.headers.get('retry-after'))
    if (![429, 503].includes(response.status) || tries > 5) throw new Error(body.detail)
    await new Promise((resolve) => setTimeout(resolve, Math.min(seconds || 1, 60) * 1_000))
  }
}

/** Gives the events of the log since a time. The end is an empty page with the cursor of its request. */
async function* readLog(since) {
  let start = { since }
  for (;;) {
    const { items, next_cursor: cursor } = await readPage('/events', { limit: 1_000, ...start })
    if (items.length === 0 && cursor === start.cursor) return
    yield items
    start = { cursor }
  }
}

function isSubscribed({ dataset }, { type, data }) {
  if (type.startsWith('endpoint.') && data.object_id === dataset.reconcile) return false
  if (!dataset.types.split(' ').includes(type)) return false
  const { accounts } = dataset
  return (
    accounts === undefined || accounts.split(' ').includes(String(data.account_id).toLowerCase())
  )
}

/** Finds the events that are not in the list, and the ids that are not in the log. */
async function compareLog(form, ids, since, say) {
  const missing = new Map()
  const unknown = new Set(ids)
  let events = 0
  for await (const page of readLog(since)) {
    for (const event of page) {
      if (!isSubscribed(form, event)) continue
      events += 1
      unknown.delete(event.id)
      if (!ids.has(event.id)) missing.set(event.id, { ...event, state: 'none' })
    }
    say(`${events.toLocaleString('en')} events compared`)
  }
  return { events, missing, unknown }
}

/** Finds the newest delivery of each missing event. */
async function findDeliveries(form, missing, since, say) {
  const query = { since, limit: 100 }
  let open = missing.size
  for (let pages = 0; open > 0 && pages < deliveryPagesMax; pages++) {
    const path = `/webhooks/${form.dataset.reconcile}/deliveries`
    const { items, next_cursor: cursor } = await readPage(path, query)
    for (const { id, status, event } of items) {
      const found = missing.get(event.id)
      if (!found || found.delivery) continue
      Object.assign(found, { delivery: id, state: status })
      open -= 1
    }
    say(`${((pages + 1) * 100).toLocaleString('en')} deliveries read`)
    if (!cursor) return
    query.cursor = cursor
  }
}

const countText = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

function cell(name, content, isFirst) {
  const td = document.createElement('td')
  td.setAttribute('role', 'cell')
  td.dataset.label = name
  if (isFirst) td.className = 'lead'
  const div = document.createElement('div')
  div.append(content)
  td.append(div)
  return td
}

function rowOf({ id, type, created_at: at, delivery }, label) {
  const link = document.createElement('a')
  link.href = delivery ? `/deliveries/${delivery}` : `/events/${id}`
  link.className = 'row-link'
  link.textContent = id
  const time = document.createElement('time')
  time.dateTime = at
  time.dataset.brief = ''
  const row = document.createElement('tr')
  row.setAttribute('role', 'row')
  row.append(
    cell('Missing event', link, true),
    cell('Type', type),
    cell('Created', time),
    cell('State', label),
  )
  return row
}

function showResult(form, { events, missing, unknown }, since) {
  const result = document.querySelector('[data-reconciled]')
  const labels = { ...JSON.parse(form.dataset.labels), none: 'Never sent' }
  const byState = Object.groupBy(missing.values(), ({ state }) => state)
  const isComplete = missing.size === 0
  result.querySelector('[data-reconcile-summary]').textContent = isComplete
    ? `Nothing is missing: ${countText(events, 'event')}, all in your list.`
    : `${missing.size.toLocaleString('en')} of ${countText(events, 'event')} missing in your list.`
  result.querySelector('[data-reconcile-states]').textContent = Object.entries(byState)
    .map(([state, each]) => `${labels[state]}: ${each.length.toLocaleString('en')}`)
    .join(', ')
  for (const action of result.querySelectorAll('[data-for]')) {
    action.hidden = !action.dataset.for.split(' ').some((state) => byState[state])
  }
  showRedelivery(result, byState.succeeded ?? [])
  for (const link of result.querySelectorAll('a[href*="/recover?"]')) {
    const url = new URL(link.href)
    url.searchParams.set('from', since)
    link.href = url
  }
  const table = result.querySelector('[data-reconcile-rows]')
  const rows = [...missing.values()].slice(0, Number(table.dataset.reconcileRows))
  table.hidden = isComplete
  table.tBodies[0].replaceChildren(...rows.map((each) => rowOf(each, labels[each.state])))
  localizeTimes(table)
  showUnknown(result.querySelector('[data-reconcile-unknown]'), unknown)
  result.hidden = false
}

/** The deliveries that arrived, as many as one form redelivers. */
function showRedelivery(result, arrived) {
  const ids = result.querySelector('[data-reconcile-ids]')
  if (!ids) return
  const chosen = arrived.slice(0, 50)
  ids.replaceChildren(
    ...chosen.map(({ delivery }) => {
      const input = document.createElement('input')
      Object.assign(input, { type: 'hidden', name: 'id', value: delivery })
      return input
    }),
  )
  const isAll = chosen.length === arrived.length
  result.querySelector('[data-reconcile-count]').textContent = isAll
    ? chosen.length
    : `the first ${chosen.length} of ${arrived.length}`
}

function showUnknown(details, unknown) {
  details.hidden = unknown.size === 0
  const more = unknown.size > shownIdsMax ? `, the first ${shownIdsMax} of them` : ''
  details.querySelector('summary').textContent = `${countText(unknown.size, 'id')} unknown${more}`
  details.querySelector('pre').textContent = [...unknown].slice(0, shownIdsMax).join('\n')
}

const form = document.querySelector('[data-reconcile]')
if (form) {
  const file = form.elements.file
  const say = (text) => (form.querySelector('[data-reconcile-progress]').textContent = text)

  form.addEventListener('dragover', (event) => event.preventDefault())
  form.addEventListener('drop', (event) => {
    event.preventDefault()
    if (event.dataTransfer.files.length > 0) file.files = event.dataTransfer.files
  })
  const compare = async () => {
    const button = form.querySelector('[type=submit]')
    const since = form.elements.since.value
    button.disabled = true
    try {
      const ids = await readIds(file.files[0] ?? new Blob([form.elements.ids.value]))
      if (ids.size === 0) return say('The list contains no event id.')
      const compared = await compareLog(form, ids, since, say)
      await findDeliveries(form, compared.missing, since, say)
      showResult(form, compared, since)
      return say('')
    } catch (error) {
      return say(`The comparison failed: ${error.message}`)
    } finally {
      button.disabled = false
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void compare()
  })
}
