// The number of event types that are selected in the event picker, in total and by resource.

for (const picker of document.querySelectorAll('[data-events]')) {
  picker.addEventListener('change', () => countEvents(picker))
}

function countEvents(picker) {
  const isChecked = (value) =>
    picker.querySelector(`input[value=${CSS.escape(value)}]`)?.checked === true
  const all = isChecked('*')
  let total = 0
  for (const group of picker.querySelectorAll('details')) {
    const [wildcard, ...types] = group.querySelectorAll('input')
    const count =
      all || wildcard.checked ? types.length : types.filter(({ checked }) => checked).length
    group.querySelector('[data-count]').textContent = count
    total += count
  }
  picker.querySelector('[role=status] [data-count]').textContent = total
}

addEventListener('pageshow', () => document.querySelectorAll('[data-events]').forEach(countEvents))
