/** The type of an input as an attribute. JSX' own types take one literal at a time, and no union of them. */
export const inputType = (type: string) => ({ type }) as { type: 'text' }
