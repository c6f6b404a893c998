import { readFileSync } from 'node:fs'
import { root } from '../../tools/run.ts'

/** docs/operations.md. */
export const readRunbook = (): string => readFileSync(`${root}docs/operations.md`, 'utf8')

/** The runbook's shell commands under a heading, up to the next heading. @throws Error if there are none. */
export function readCommands(heading: string): string {
  const [, section] = readRunbook().split(new RegExp(`^#+ ${heading}$`, 'm'))
  const blocks = section ? blocksOf(section.split(/^#{2,} /m)[0]!, 'sh') : []
  if (blocks.length === 0) throw new Error(`the runbook has no commands under ${heading}`)
  return blocks.join('\n')
}

/** The code blocks of a language; blocks in lists are dedented. */
export const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\n([^]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, indentation = '', block = '']) => block.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  )
