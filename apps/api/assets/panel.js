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
