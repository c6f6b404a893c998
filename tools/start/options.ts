import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** What `npm start --` is called with. */
export interface StartOptions {
  /** The variables of `--brand`. */
  readonly brand: Readonly<Record<string, string>>
  /** Whether to start the example platform. */
  readonly withPlatform: boolean
}

/** Reads the options, and the brand of the folder that `--brand` names. */
export async function readStartOptions(args: readonly string[]): Promise<StartOptions> {
  const { values } = parseArgs({
    args: [...args],
    options: { brand: { type: 'string' }, platform: { type: 'boolean', default: false } },
  })
  return {
    brand: values.brand === undefined ? {} : await readBrandFolder(values.brand),
    withPlatform: values.platform,
  }
}

/** The variables of `brand.json` in a folder. The path of the logo is relative to the folder. */
async function readBrandFolder(folder: string): Promise<Record<string, string>> {
  const file = resolve(folder, 'brand.json')
  const brand = await readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as Record<string, string>)
    .catch((error: Error) => {
      throw new Error(`--brand: ${file} cannot be read as JSON: ${error.message}`)
    })
  const logo = brand['BRAND_LOGO']
  return { ...brand, ...(logo !== undefined && { BRAND_LOGO: resolve(folder, logo) }) }
}
