/** The part that is used of a package without types. */
declare module 'postject' {
  /** Adds a resource to an executable. */
  export function inject(
    file: string,
    resource: string,
    content: Buffer,
    options: { readonly sentinelFuse: string },
  ): Promise<void>
}
