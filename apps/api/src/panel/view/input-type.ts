/** The `type` attribute of an input. JSX's own types accept single literals but no union of them. */
export const inputType = (type: string) => ({ type }) as { type: 'text' }
