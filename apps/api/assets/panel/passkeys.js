// Passkeys: a form in an element with `data-passkey` gets its credential from the browser before it is sent. The element
// stays hidden where the browser has no passkeys for this host.

import { toCredentialJson, toPublicKey } from './credentials.js'

/** Options are valid for 5 minutes. */
const freshMs = 4 * 60_000
const shownAt = Date.now()
let autofill = new AbortController()
/** Why autofill was aborted when its options expire. */
const expired = new DOMException('The options have expired.', 'TimeoutError')

for (const place of document.querySelectorAll('[data-passkey]')) {
  const options = JSON.parse(place.dataset.options)
  const isOwnHost = location.hostname === (options.rpId ?? options.rp.id)
  if (isOwnHost && globalThis.PublicKeyCredential && navigator.credentials) offer(place, options)
}

function offer(place, options) {
  place.hidden = false
  for (const element of document.querySelectorAll('[data-without-passkeys]')) element.hidden = true
  const form = place.querySelector('form')
  // Before the listener of the document, which protects against double submission.
  form.addEventListener('submit', (event) => {
    if (form.elements.passkey.value !== '') return
    event.preventDefault()
    event.stopPropagation()
    autofill.abort()
    const credential = place.dataset.passkey === 'create' ? create(options) : get(options)
    credential.then((found) => send(form, found)).catch((error) => explain(place, error))
  })
  addEventListener('pageshow', () => (form.elements.passkey.value = ''))
  if (place.dataset.autofill !== undefined) void offerByAutofill(form, options)
}

function send(form, credential) {
  form.elements.passkey.value = JSON.stringify(toCredentialJson(credential))
  form.requestSubmit()
}

async function get(options, further = {}) {
  const publicKey = toPublicKey(await freshOptions(options))
  return navigator.credentials.get({ publicKey, ...further })
}

async function create(options) {
  if (Date.now() - shownAt > freshMs) location.reload()
  return navigator.credentials.create({ publicKey: toPublicKey(options) })
}

/** The options of the page, or new ones when these expire. */
async function freshOptions(options) {
  if (Date.now() - shownAt < freshMs) return options
  const response = await fetch('/api/v1/auth/session/passkey-options', { method: 'POST' })
  return response.ok ? (await response.json()).options : options
}

/** Lets the browser offer passkeys in the field for the email address, as long as the page is open. */
async function offerByAutofill(form, options) {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  for (;;) {
    autofill = new AbortController()
    const { signal } = autofill
    const expiry = setTimeout(() => autofill.abort(expired), freshMs)
    try {
      send(form, await get(options, { mediation: 'conditional', signal }))
      return
    } catch {
      if (signal.reason !== expired) return
      await visible()
    } finally {
      clearTimeout(expiry)
    }
  }
}

/** Waits until the page is seen. */
const visible = () =>
  new Promise((resolve) => {
    if (!document.hidden) resolve()
    else document.addEventListener('visibilitychange', () => resolve(), { once: true })
  })

const explanations = {
  InvalidStateError: 'This device already has a passkey of your account.',
  NotAllowedError:
    'The browser did not use a passkey: it was cancelled or took too long. Try again.',
}

function explain(place, error) {
  const message = place.querySelector('[role=alert]')
  message.textContent =
    explanations[error?.name] ?? 'The browser could not use a passkey. Try again.'
  message.hidden = false
}
