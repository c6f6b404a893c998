import { momentOf } from './time.js'

// The URL of a filtered list contains only the filters that are set, with times in UTC.

addEventListener('formdata', ({ target: form, formData }) => {
  if (form.method !== 'get') return
  for (const [name, value] of Array.from(formData)) {
    if (value === '') formData.delete(name)
    else if (form.elements[name]?.dataset?.moment !== undefined) {
      formData.set(name, momentOf(value).toISOString())
    }
  }
})

// The menu with the filters closes by Escape and by a click outside.
for (const menu of document.querySelectorAll('.filter-menu')) {
  document.addEventListener('click', ({ target }) => {
    if (!menu.contains(target)) menu.open = false
  })
  menu.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !menu.open) return
    menu.open = false
    menu.querySelector('summary').focus()
  })
  menu.addEventListener('toggle', () => {
    if (menu.open) menu.querySelector('.input')?.focus({ preventScroll: true })
  })
}
