import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'

/** A document of the operators. */
type RunbookPage = 'operations' | 'high-availability'

/** docs/operations.md, or another page. */
export const readRunbook = (page: RunbookPage = 'operations'): string =>
  readFileSync(`${root}docs/${page}.md`, 'utf8')

/** The runbook's shell commands under a heading, up to the next heading. @throws Error if there are none. */
export const readCommands = (heading: string, page?: RunbookPage): string =>
  readCommandBlocks(heading, page).join('\n')

/** Like {@link readCommands}, block by block. */
export function readCommandBlocks(heading: string, page?: RunbookPage): readonly string[] {
  const [, section] = readRunbook(page).split(new RegExp(`^#+ ${heading}$`, 'm'))
  const blocks = section ? blocksOf(section.split(/^#{2,} /m)[0]!, 'sh') : []
  if (blocks.length === 0) throw new Error(`the runbook has no commands under ${heading}`)
  return blocks
}

/** The code blocks of a language; blocks in lists are dedented. */
export const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\n([^]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, indentation = '', block = '']) => block.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  )
