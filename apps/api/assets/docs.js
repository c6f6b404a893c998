// Progressive enhancement of the documentation: buttons that copy code, and the key that starts a search. Every page
// works without it. It creates no HTML from text, as Trusted Types require.

// The style sheet shows the buttons. Browsers have a clipboard only on https and on the local machine.
if (navigator.clipboard) document.documentElement.classList.add('copies')

// On the document, so that it also applies to code that an update of the page has replaced.
document.addEventListener('click', ({ target }) => {
  const button = target.closest('.copy')
  if (button) void copyCode(button.parentElement.querySelector('pre'))
})

async function copyCode(code) {
  try {
    await navigator.clipboard.writeText(code.textContent.trimEnd())
    say('Copied', 2_000)
  } catch {
    getSelection().selectAllChildren(code)
    say('The browser did not allow copying. The code is selected, so that you can copy it.', 10_000)
  }
}

let clearing

/** Shows a text for some time. Screen readers read it. */
function say(text, shownMs) {
  const status = document.getElementById('copied')
  status.textContent = text
  clearTimeout(clearing)
  clearing = setTimeout(() => (status.textContent = ''), shownMs)
}

const switcher = document.querySelector('[data-single-keys]')

document.addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey, target } = event
  if (key !== '/' || ctrlKey || metaKey || altKey || event.defaultPrevented) return
  const isTyping = target.closest(
    'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]',
  )
  if (isTyping || !switcher.checked) return
  event.preventDefault()
  document.querySelector('form[role=search] input')?.select()
  document.querySelector('form[role=search] input')?.focus()
})

// The panel keeps its choice under the same name.
switcher.checked = localStorage.getItem('single-keys') !== 'off'
switcher.addEventListener('change', () => {
  if (switcher.checked) localStorage.removeItem('single-keys')
  else localStorage.setItem('single-keys', 'off')
})
switcher.closest('footer').hidden = false
