// Progressive enhancement of the panel's pages: copy buttons, protection against double submission, and
// scope presets. Every page works without it. It creates no HTML from text, as Trusted Types require.

document.addEventListener('click', ({ target }) => {
  const id = target.closest('[data-copy]')?.dataset.copy
  if (id !== undefined) void copy(id)
})

async function copy(id) {
  const source = document.getElementById(id)
  const status = document.getElementById(`${id}-copied`)
  const say = (text, shownMs) => {
    status.textContent = text
    clearTimeout(status.clearing)
    status.clearing = setTimeout(() => (status.textContent = ''), shownMs)
  }
  try {
    await navigator.clipboard.writeText(source.textContent)
    say('Copied', 3_000)
  } catch {
    getSelection().selectAllChildren(source)
    say('The browser did not allow copying. The text is selected, so that you can copy it.', 10_000)
  }
}

// On the document, so that it also applies to forms that an update of the page has replaced.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (!form.matches('form[method=post]')) return
  if (form.dataset.sent) event.preventDefault()
  form.dataset.sent = 'yes'
  // Allows another try if the submission fails.
  setTimeout(() => delete form.dataset.sent, 5_000)
})
// Forms restored from the back-forward cache can be submitted again.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent
})

// What a chosen scope or pattern of events implies is checked and disabled. Presets of scopes fill in the form in place.
for (const picker of document.querySelectorAll('[data-scopes], [data-events]')) {
  const boxes = [...picker.querySelectorAll('[data-implied-by]')]
  const presets = picker.querySelectorAll('[data-preset]')
  const chosen = new Set(
    boxes.filter((box) => box.checked && !box.disabled).map(({ value }) => value),
  )
  const show = () => {
    for (const box of boxes) {
      box.disabled = box.dataset.impliedBy.split(' ').some((scope) => chosen.has(scope))
      box.checked = box.disabled || chosen.has(box.value)
    }
    for (const preset of presets) {
      const scopes = preset.dataset.preset.split(' ').filter(Boolean)
      const isCurrent = chosen.size > 0 && chosen.symmetricDifference(new Set(scopes)).size === 0
      if (isCurrent) preset.setAttribute('aria-current', 'true')
      else preset.removeAttribute('aria-current')
    }
  }
  picker.addEventListener('change', ({ target }) => {
    if (target.checked) chosen.add(target.value)
    else chosen.delete(target.value)
    show()
  })
  for (const preset of presets) {
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
