/** A file of an archive. */
export interface ArchivedFile {
  readonly path: string
  readonly content: Buffer
}
