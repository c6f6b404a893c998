import { cpSync, readFileSync } from 'node:fs'
import { matchesGlob, relative } from 'node:path'

/** Copies the build context of a folder: the files that its .dockerignore does not exclude. */
export function copyBuildContext(folder: string, target: string): void {
  const isIgnored = readIgnoreRules(readFileSync(`${folder}/.dockerignore`, 'utf8'))
  cpSync(folder, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter(path) {
      const relativePath = relative(folder, path)
      return relativePath === '' || !isIgnored(relativePath)
    },
  })
}

/** The last rule that matches a path or a parent folder decides whether it is ignored. */
export function readIgnoreRules(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ ignores: !line.startsWith('!'), pattern: line.replace(/^!/, '') }))
  return (path) => {
    const parts = path.split('/')
    const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
    const last = rules.findLast(({ pattern }) => paths.some((each) => matches(each, pattern)))
    return last?.ignores ?? false
  }
}

/** Node's `*` does not match names that start with a dot; Docker's does. */
const matches = (path: string, pattern: string): boolean =>
  pattern === '.*' ? /^\.[^/]*$/.test(path) : matchesGlob(path, pattern)
