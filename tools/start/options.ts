import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
// The source: the options are read before the packages are built.
import { brandSettings } from '../../packages/core/src/configuration/brand-settings.ts'

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

/**
 * The variables of `brand.json` in a folder. The path of the logo is relative to the folder. Every other variable is
 * refused: `NODE_OPTIONS`, for example, would run code in each process.
 */
async function readBrandFolder(folder: string): Promise<Record<string, string>> {
  const file = resolve(folder, 'brand.json')
  const content = await readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as unknown)
    .catch((error: Error) => {
      throw new Error(`--brand: ${file} cannot be read as JSON: ${error.message}`)
    })
  const brand = toBrand(content, file)
  const logo = brand['BRAND_LOGO']
  return { ...brand, ...(logo !== undefined && { BRAND_LOGO: resolve(folder, logo) }) }
}

function toBrand(content: unknown, file: string): Record<string, string> {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new Error(`--brand: ${file} must be a JSON object`)
  }
  const errors = Object.entries(content).flatMap(([name, value]) => {
    if (!variables.has(name)) return [`${name} is not a variable of a brand`]
    return typeof value === 'string' ? [] : [`${name} must be a string`]
  })
  if (errors.length > 0) {
    const allowed = `It may have ${[...variables].join(', ')}.`
    throw new Error(`--brand: ${file} is not a brand: ${errors.join('; ')}. ${allowed}`)
  }
  return content as Record<string, string>
}

const variables: ReadonlySet<string> = new Set(
  Object.values(brandSettings).map(({ variable }) => variable),
)
