// Credentials of WebAuthn as JSON, made from their members. Password managers replace `navigator.credentials`: their
// credentials only borrow the prototype of the browser's, so its `toJSON`, getters and methods throw on them.

/** The options for `navigator.credentials`, from their JSON. */
export const toPublicKey = ({ challenge, user, ...options }) => ({
  ...options,
  challenge: fromBase64url(challenge),
  ...(user && { user: { ...user, id: fromBase64url(user.id) } }),
  ...withBytes('allowCredentials', options.allowCredentials),
  ...withBytes('excludeCredentials', options.excludeCredentials),
})

const withBytes = (name, list) =>
  list && { [name]: list.map((item) => ({ ...item, id: fromBase64url(item.id) })) }

/** What `navigator.credentials` returned, as a `RegistrationResponseJSON` or an `AuthenticationResponseJSON`. */
export function toCredentialJson(credential) {
  const { response } = credential
  const id = toBase64url(optional(() => credential.rawId) ?? credential.id)
  const bytesOf = (name) => {
    const value = optional(() => response[name])
    return value == null ? undefined : toBase64url(value)
  }
  return {
    id,
    rawId: id,
    type: 'public-key',
    authenticatorAttachment: optional(() => credential.authenticatorAttachment) ?? undefined,
    clientExtensionResults: optional(() => credential.getClientExtensionResults()) ?? {},
    response: {
      clientDataJSON: bytesOf('clientDataJSON'),
      attestationObject: bytesOf('attestationObject'),
      authenticatorData: bytesOf('authenticatorData'),
      signature: bytesOf('signature'),
      userHandle: bytesOf('userHandle'),
      transports: optional(() => [...response.getTransports()]) ?? response.transports,
    },
  }
}

/** A member that may be missing, or whose getter or method belongs to another kind of object. */
function optional(read) {
  try {
    return read()
  } catch {
    return undefined
  }
}

function fromBase64url(text) {
  const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(decoded, (character) => character.charCodeAt(0)).buffer
}

/** Bytes in base64url: a buffer, a view of one, a list of numbers, or a text that is base64 already. */
function toBase64url(value) {
  const base64 = typeof value === 'string' ? value : btoa(String.fromCharCode(...bytesIn(value)))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function bytesIn(value) {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  }
  if (value.byteLength !== undefined || value.length !== undefined) return new Uint8Array(value)
  // Bytes that an extension passed on as JSON: a Buffer of Node, or a view with its indexes as names.
  return new Uint8Array(value.data ?? Object.values(value))
}
