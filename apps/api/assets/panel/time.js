// Times in the viewer's zone, or in UTC if the person has chosen that. Pages contain times in UTC; the tooltip of each has both.

const inUtc = document.documentElement.dataset.times === 'utc'

// English names of zones, by the viewer's own variant of English if there is one.
const zoneFormat = new Intl.DateTimeFormat(
  navigator.languages.find((language) => language.startsWith('en')) ?? 'en-GB',
  { timeZoneName: 'short' },
)

const zoneOf = (time) =>
  zoneFormat.formatToParts(time).find(({ type }) => type === 'timeZoneName').value

/** The local time in the format of UTC times: `2026-11-22 23:45:13.120`. */
function localText(time) {
  const two = (value) => String(value).padStart(2, '0')
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')
  return `${date} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`
}

/** The time in the format of pages: `2026-11-22 22:45:13.120`. */
const utcText = (time) => time.toISOString().slice(0, 23).replace('T', ' ')

const timeText = (time) => (inUtc ? utcText(time) : localText(time))
const shownZone = (time) => (inUtc ? 'UTC' : zoneOf(time))

/** The time in both zones, a line each. */
function bothZones(time) {
  const local = `${localText(time)} ${zoneOf(time)}`
  const utc = `${utcText(time)} UTC`
  return local === utc ? utc : `${local}\n${utc}`
}

/** The moment of a field, which is in the zone that is shown. */
export const momentOf = (value) => new Date(inUtc ? `${value}Z` : value)

/** Shows the times within an element or document in the zone that the person has chosen. */
export function localizeTimes(root) {
  for (const element of root.querySelectorAll('time[data-ago]')) {
    const time = new Date(element.dateTime)
    element.lastElementChild.textContent = `, ${timeText(time).slice(0, 19)} ${shownZone(time)}`
    element.title = bothZones(time)
  }
  for (const element of root.querySelectorAll('time[datetime]:not([data-ago])')) {
    const time = new Date(element.dateTime)
    const { exact, brief } = element.dataset
    const text = timeText(time).slice(0, exact ? 23 : brief === 'minutes' ? 16 : 19)
    element.textContent = brief === undefined ? `${text} ${shownZone(time)}` : text
    element.title = bothZones(time)
  }
  // Labels of charts begin with the hour and minute, some with the day before that.
  for (const element of root.querySelectorAll('[data-clock]')) {
    const shown = timeText(new Date(element.dataset.clock))
    const clock = (text) => shown.slice(16 - text.length, 16)
    element.textContent = element.textContent.replace(/^(\d\d-\d\d )?\d\d:\d\d/, clock)
  }
  for (const element of root.querySelectorAll('[data-zone]')) {
    element.textContent = shownZone(new Date())
  }
  for (const input of root.querySelectorAll('input[data-moment]')) {
    const time = new Date(`${input.value}Z`)
    if (input.value !== '') input.value = timeText(time).slice(0, 19).replace(' ', 'T')
  }
  showDistances(root)
}

/** The same texts as `timeLeft` in view/moments.ts. */
function timeLeft(ms) {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds <= 0) return 'now'
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([value]) => value > 0)
  const shown = parts.slice(first, first + 2).filter(([value]) => value > 0)
  return `in ${shown.map((part) => part.join(' ')).join(' ')}`
}

/** The same texts as `timeAgo` in packages/core/src/clock/durations.ts, with dates in the zone that is shown. */
function timeAgo(time) {
  const ms = Date.now() - time
  const seconds = Math.abs(ms) / 1_000
  if (seconds < 1) return 'just now'
  if (seconds >= (ms > 0 ? 30 : 100) * 86_400) return timeText(time).slice(0, 10)
  const text = inOneUnit(seconds)
  return ms > 0 ? `${text} ago` : `in ${text}`
}

function inOneUnit(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`
}

/** Counts down, and says how long ago times are. */
export function showDistances(root) {
  for (const element of root.querySelectorAll('time[data-ago]')) {
    const text = timeAgo(new Date(element.dateTime))
    const shown = element.firstElementChild
    if (shown.textContent !== text) shown.textContent = text
  }
  for (const element of root.querySelectorAll('[data-countdown]')) {
    const text = timeLeft(new Date(element.dataset.countdown) - Date.now())
    if (element.textContent !== text) element.textContent = text
  }
}

setInterval(() => showDistances(document), 1_000)
