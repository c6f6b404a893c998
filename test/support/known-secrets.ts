/** What anybody was shown or sent that no log may hold; the one list of them. */
export class KnownSecrets {
  readonly #secrets = new Map<string, string>()

  /** Notes a secret by what it is, and gives it back. */
  note(what: string, secret: string): string {
    if (secret.length < 6) throw new Error(`${what} is too short to be looked for.`)
    this.#secrets.set(what, secret)
    return secret
  }

  /** Notes the token of an API key, whole and its parts. */
  noteToken(what: string, token: string): string {
    const secret = token.split('_')[2]!
    this.note(`the secret of ${what}`, secret)
    this.note(`the random part of the secret of ${what}`, secret.slice(0, 32))
    return this.note(`the token of ${what}`, token)
  }

  /** Notes bytes that are given as base64, in that form and in hexadecimal. */
  noteBytes(what: string, base64: string): void {
    this.note(what, base64)
    this.note(`${what} in hexadecimal`, Buffer.from(base64, 'base64').toString('hex'))
  }

  /** Notes a signing secret, whole and without its prefix. */
  noteSigningSecret(what: string, secret: string): string {
    this.note(`${what} without its prefix`, secret.slice('whsec_'.length))
    return this.note(what, secret)
  }

  get kinds(): readonly string[] {
    return [...this.#secrets.keys()]
  }

  /** Which of them stand in a text. */
  findIn(text: string): string[] {
    return [...this.#secrets].flatMap(([what, secret]) => (holds(text, secret) ? [what] : []))
  }
}

/** A code of digits alone may well be a part of a longer number, or of an id in hexadecimal. */
const holds = (text: string, secret: string): boolean =>
  /^\d+$/.test(secret)
    ? new RegExp(`(?<![\\w.])${secret}(?![\\w.])`).test(text)
    : text.includes(secret)
