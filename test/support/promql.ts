/** The names in a PromQL expression: metrics, and labels in selectors or groupings. */
export interface PromqlNames {
  readonly metrics: readonly string[]
  readonly labels: readonly string[]
}

/** Keywords of PromQL. Any other name before a parenthesis is a function. */
const words = new Set(['by', 'without', 'on', 'ignoring', 'and', 'or', 'unless', 'bool'])

/** Finds the names in an expression. It is not a parser: promtool checks the syntax. */
export function namesOfPromql(expression: string): PromqlNames {
  const labels: string[] = []
  const bare = expression
    .replace(/"[^"]*"|'[^']*'/g, "''")
    .replace(/\[[^\]]*\]|\boffset\s+\w+/g, '')
    .replace(/\{([^}]*)\}/g, (_all, matchers: string) => {
      labels.push(...[...matchers.matchAll(/(\w+)\s*[!=]/g)].map(([, label]) => label!))
      return ''
    })
    .replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_all, list: string) => {
      labels.push(...list.split(',').map((label) => label.trim()))
      return ''
    })
  const metrics = [...bare.matchAll(/[a-z_]\w*(?!\w)(?!\s*\()/gi)]
    .map(([name]) => name)
    .filter((name) => !words.has(name))
  return { metrics: [...new Set(metrics)], labels: [...new Set(labels)] }
}
