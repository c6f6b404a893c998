/** What an expression of PromQL names: metrics, and labels, whether it selects or groups by them. */
export interface PromqlNames {
  readonly metrics: readonly string[]
  readonly labels: readonly string[]
}

/** Words that an expression may hold besides metrics; whatever else is called like a function is one. */
const words = new Set(['by', 'without', 'on', 'ignoring', 'and', 'or', 'unless', 'bool', 'offset'])

/** Reads the names of an expression. It is not a parser: promtool says whether an expression is one. */
export function namesOfPromql(expression: string): PromqlNames {
  const labels: string[] = []
  const bare = expression
    .replace(/"[^"]*"|'[^']*'/g, "''")
    .replace(/\[[^\]]*\]/g, '')
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
