/** All secrets that were shown or sent in the test. No log may contain them. */
export class KnownSecrets {
  readonly #secrets = new Map<string, string>()

  /** Records a secret with a label, and returns it. */
  note(what: string, secret: string): string {
    if (secret.length < 6) throw new Error(`${what} is too short to be looked for.`)
    this.#secrets.set(what, secret)
    return secret
  }

  /** Records the token of an API key, whole and in parts. */
  noteToken(what: string, token: string): string {
    const secret = token.split('_')[2]!
    this.note(`the secret of ${what}`, secret)
    this.note(`the random part of the secret of ${what}`, secret.slice(0, 32))
    return this.note(`the token of ${what}`, token)
  }

  /** Records base64-encoded bytes, in base64 and in hexadecimal. */
  noteBytes(what: string, base64: string): void {
    this.note(what, base64)
    this.note(`${what} in hexadecimal`, Buffer.from(base64, 'base64').toString('hex'))
  }

  /** Records a signing secret, with and without its prefix. */
  noteSigningSecret(what: string, secret: string): string {
    this.note(`${what} without its prefix`, secret.slice('whsec_'.length))
    return this.note(what, secret)
  }

  get kinds(): readonly string[] {
    return [...this.#secrets.keys()]
  }

  /** The labels of the secrets that a text contains. */
  findIn(text: string): string[] {
    return [...this.#secrets].flatMap(([what, secret]) => (holds(text, secret) ? [what] : []))
  }
}

/** A numeric code can occur by chance in a longer number or in a hexadecimal id. */
const holds = (text: string, secret: string): boolean =>
  /^\d+$/.test(secret)
    ? new RegExp(`(?<![\\w.])${secret}(?![\\w.])`).test(text)
    : text.includes(secret)
