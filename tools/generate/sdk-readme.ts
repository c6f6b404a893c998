import { readFileSync } from 'node:fs'
import { root } from '../run.ts'

const notice =
  '<!-- Made by `npm run generate` from examples/README.template.md and the files beside it, which are tested. -->'

/** packages/sdk/README.md: the template, with each line `{{file}}` replaced by an example. */
export const sdkReadme = (): string =>
  read('README.template.md')
    .replace('\n', `\n\n${notice}\n`)
    .replaceAll(
      /^\{\{(.+)\}\}$/gm,
      (_line, file: string) => `\`\`\`ts\n${read(file).trimEnd()}\n\`\`\``,
    )

const read = (file: string): string => readFileSync(`${root}packages/sdk/examples/${file}`, 'utf8')
