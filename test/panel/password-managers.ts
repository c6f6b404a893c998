/** How password managers answer `navigator.credentials`, as the body of a function of the browser's `credential`. */
export const managerAnswers: Readonly<Record<string, string>> = {
  'an object that only borrows the prototype': `
    return Object.setPrototypeOf({ id: credential.id, rawId: credential.rawId, type: credential.type,
      authenticatorAttachment: 'platform', response: credential.response, getClientExtensionResults: () => ({}) },
      PublicKeyCredential.prototype)`,
  'objects that borrow both prototypes, without methods': `
    const { response } = credential
    const members = members_of(response, (value) => value)
    const borrowed = Object.setPrototypeOf(members, Object.getPrototypeOf(response))
    return Object.setPrototypeOf({ id: credential.id, rawId: credential.rawId, response: borrowed },
      PublicKeyCredential.prototype)`,
  'getters with views of larger buffers': `
    const view = (value) => {
      const larger = new Uint8Array(value.byteLength + 8)
      larger.set(new Uint8Array(value), 4)
      return larger.subarray(4, value.byteLength + 4)
    }
    const members = members_of(credential.response, view)
    const response = {}
    for (const name of Object.keys(members)) Object.defineProperty(response, name, { get: () => members[name] })
    return { get id() { return credential.id }, get rawId() { return view(credential.rawId) },
      get response() { return response } }`,
  'JSON with padded base64': `
    const text = (value) => btoa(String.fromCharCode(...new Uint8Array(value)))
    return { id: text(credential.rawId), type: 'public-key',
      response: { ...members_of(credential.response, text), transports: ['internal', 'hybrid'] } }`,
  'bytes that were passed on as JSON': `
    const indexed = (value) => ({ ...new Uint8Array(value) })
    const buffer = (value) => ({ type: 'Buffer', data: [...new Uint8Array(value)] })
    return { id: credential.id, rawId: buffer(credential.rawId), response: members_of(credential.response, indexed) }`,
}

/** A script that makes the browser answer as a password manager does. */
export const managerScript = (answer: string): string => `{
  const members_of = (response, change) => Object.fromEntries(
    ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'].flatMap((name) =>
      response[name] ? [[name, change(response[name])]] : []))
  const answer = (credential) => { ${answer} }
  const { create, get } = CredentialsContainer.prototype
  navigator.credentials.create = async (options) => answer(await create.call(navigator.credentials, options))
  navigator.credentials.get = async (options) => answer(await get.call(navigator.credentials, options))
  delete PublicKeyCredential.parseCreationOptionsFromJSON
  delete PublicKeyCredential.parseRequestOptionsFromJSON
}`
