// Progressive enhancement of the documentation: buttons that copy code, and the key that starts a search. Every page
// works without it. It creates no HTML from text, as Trusted Types require.

const shownMs = 2_000

// The style sheet shows the buttons. Browsers have a clipboard only on https and on the local machine.
if (navigator.clipboard) document.documentElement.classList.add('copies')

// On the document, so that it also applies to code that an update of the page has replaced.
document.addEventListener('click', ({ target }) => {
  const button = target.closest('.copy')
  if (button) void copyCode(button)
})

async function copyCode(button) {
  await navigator.clipboard.writeText(
    button.parentElement.querySelector('pre').textContent.trimEnd(),
  )
  button.textContent = 'Copied'
  setTimeout(() => (button.textContent = 'Copy'), shownMs)
}

document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select, [contenteditable]')
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
  event.preventDefault()
  document.querySelector('form[role=search] input')?.select()
  document.querySelector('form[role=search] input')?.focus()
})
