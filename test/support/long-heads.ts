/** Makes the head of a response of a given number of bytes, with a further field. */
export type HeadOf = (bytes: number, field: string) => string

/** A head that one field fills. */
export const headOfOneField: HeadOf = (bytes, field) => {
  const [start, end] = [`HTTP/1.1 200 OK\r\n${field}\r\nX-Fill: `, '\r\n\r\n']
  return start + 'y'.repeat(bytes - start.length - end.length) + end
}

/** A head that many cookies fill. */
const headOfManyFields: HeadOf = (bytes, field) => {
  const cookie = 'Set-Cookie: a=b\r\n'
  const cookies = cookie.repeat(Math.floor((bytes - 1_000) / cookie.length))
  return headOfOneField(bytes, `${field}\r\n${cookies.trimEnd()}`)
}

/** The forms of long heads. */
export const headForms: readonly (readonly [form: string, headOf: HeadOf])[] = [
  ['one field', headOfOneField],
  ['many fields', headOfManyFields],
]
