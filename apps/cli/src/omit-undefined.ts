/** An object type in which members that may be undefined are optional instead. */
type OmitUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Drops members that are undefined, so options that were not given are not sent to the API. */
export const omitUndefined = <T extends object>(members: T): OmitUndefined<T> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as OmitUndefined<T>
