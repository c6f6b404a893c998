// What the panel's pages gain where scripts run: copying, live updates, and no second submission by a
// double click. Every page works without it. It makes no HTML from text, as Trusted Types ask.

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
    // Where nothing comes of it, it may be tried again.
    setTimeout(() => delete form.dataset.sent, 5_000)
  })
}
// A page that comes back from the back-forward cache may be submitted again.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent
})

/** Reads the page again as a document, in which nothing runs, and takes the named part from it. */
function refresh(id) {
  const request = new XMLHttpRequest()
  request.open('GET', location.href)
  request.responseType = 'document'
  request.onloadend = () => {
    const part = request.status === 200 && request.response?.getElementById(id)
    const shown = document.getElementById(id)
    // What did not change is left alone, so that screen readers do not say it again.
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
