import { readFileSync } from 'node:fs'
import { root } from '../run.ts'
import { noticeOf } from './notice.ts'

/** The README.md of a package: the template, with each line `{{file}}` replaced by an example. */
export const sdkReadme = (name: 'sdk' | 'platform-sdk'): string =>
  noticeOf('examples/README.template.md and the files beside it') +
  read(name, 'README.template.md').replaceAll(
    /^\{\{(.+)\}\}$/gm,
    (_line, file: string) => `\`\`\`ts\n${read(name, file).trimEnd()}\n\`\`\``,
  )

const read = (name: string, file: string): string =>
  readFileSync(`${root}packages/${name}/examples/${file}`, 'utf8')
