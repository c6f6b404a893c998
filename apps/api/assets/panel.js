// Progressive enhancement of the panel's pages: copy buttons, live updates, and protection against double
// submission. Every page works without it. It creates no HTML from text, as Trusted Types require.

for (const button of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) break
  button.hidden = false
  button.addEventListener('click', () => void copy(button.dataset.copy))
}

async function copy(id) {
  await navigator.clipboard.writeText(document.getElementById(id).textContent)
  const status = document.getElementById(`${id}-copied`)
  status.textContent = 'Copied'
  setTimeout(() => (status.textContent = ''), 3_000)
}

for (const form of document.querySelectorAll('form[method=post]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault()
    form.dataset.sent = 'yes'
    // Allows another try if the submission fails.
    setTimeout(() => delete form.dataset.sent, 5_000)
  })
}
// Forms restored from the back-forward cache can be submitted again.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent
})

// Presets of the scope picker fill in the form in place, and what a chosen scope implies is checked and disabled.
for (const picker of document.querySelectorAll('[data-scopes]')) {
  const boxes = [...picker.querySelectorAll('[data-implied-by]')]
  const chosen = new Set(
    boxes.filter((box) => box.checked && !box.disabled).map(({ value }) => value),
  )
  const show = () => {
    for (const box of boxes) {
      box.disabled = box.dataset.impliedBy.split(' ').some((scope) => chosen.has(scope))
      box.checked = box.disabled || chosen.has(box.value)
    }
  }
  picker.addEventListener('change', ({ target }) => {
    if (target.checked) chosen.add(target.value)
    else chosen.delete(target.value)
    show()
  })
  for (const preset of picker.querySelectorAll('[data-preset]')) {
    preset.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      chosen.clear()
      for (const scope of preset.dataset.preset.split(' ').filter(Boolean)) chosen.add(scope)
      show()
    })
  }
}
document.querySelector('form[data-auto-submit]')?.requestSubmit()

/** Loads the page again as an inert document and replaces the element with the given id. */
function refresh(id) {
  const request = new XMLHttpRequest()
  request.open('GET', location.href)
  request.responseType = 'document'
  request.onloadend = () => {
    const part = request.status === 200 && request.response?.getElementById(id)
    const shown = document.getElementById(id)
    // An unchanged element stays in place, so that screen readers do not announce it again.
    if (part && !part.isEqualNode(shown)) shown.replaceWith(document.adoptNode(part))
    if (!part || part.dataset.live) watch(id, part ? 1 : 5)
  }
  request.send()
}

function watch(id, patience) {
  const element = document.getElementById(id)
  setTimeout(() => (document.hidden ? watch(id, 1) : refresh(id)), element.dataset.live * patience)
}

for (const { id } of document.querySelectorAll('[data-live]')) watch(id, 1)
