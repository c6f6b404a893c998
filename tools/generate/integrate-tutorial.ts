import { readFileSync } from 'node:fs'
import { root } from '../run.ts'

const notice =
  '<!-- Made by `npm run generate` from docs/integrate/tutorial.md and the files beside it, which are tested. -->'

/** docs/integrate-tutorial.md: the template, with each line `{{file}}` replaced by that file. */
export const integrateTutorial = (): string =>
  read('tutorial.md')
    .replace('\n', `\n\n${notice}\n`)
    .replaceAll(
      /^\{\{(.+)\}\}$/gm,
      (_line, file: string) => `\`${file}\`:\n\n\`\`\`ts\n${read(file).trimEnd()}\n\`\`\``,
    )

const read = (file: string): string => readFileSync(`${root}docs/integrate/${file}`, 'utf8')
