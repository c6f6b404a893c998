import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** The first program with the name on the PATH. */
export async function findOnPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, name)
    const isProgram = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (folder && isProgram) return file
  }
  return undefined
}
