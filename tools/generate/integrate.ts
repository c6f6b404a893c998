import { readdirSync, readFileSync } from 'node:fs'
import { root } from '../run.ts'

/** The pages of the integration guide, from the repository's root. */
const pages = [
  'docs/integrate.md',
  ...readdirSync(`${root}docs/integrate`).map((name) => `docs/integrate/${name}`),
]

/** The integration guide: each code block after the name of a file is that file of examples/platform. */
export const integrationGuide: Readonly<Record<string, () => string>> = Object.fromEntries(
  pages.map((page) => [page, () => withCode(readFileSync(root + page, 'utf8'))]),
)

const withCode = (markdown: string): string =>
  markdown.replaceAll(
    /^`([\w-]+\.(ts|py))`:\n\n```\w+\n[^]*?^```$/gm,
    (_block, file: string, extension: string) => {
      const code = readFileSync(`${root}examples/platform/${file}`, 'utf8').trimEnd()
      const language = extension === 'py' ? 'python' : 'ts'
      return `\`${file}\`:\n\n\`\`\`${language}\n${code}\n\`\`\``
    },
  )
