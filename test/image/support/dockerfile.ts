/** A stage of a Dockerfile. */
export interface Stage {
  readonly name: string
  /** An earlier stage, or an image. */
  readonly from: string
  readonly steps: readonly Step[]
}

/** An instruction of a stage, with continuation lines joined. */
export interface Step {
  readonly instruction: string
  /** `--mount=…`, `--from=…`. */
  readonly flags: Readonly<Record<string, string>>
  readonly value: string
}

/** Parses the Dockerfile: only the part of the syntax that ours uses. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: { name: string; from: string; steps: Step[] }[] = []
  for (const line of lines) {
    const [, instruction = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line)!
    const from = /^(\S+) AS (\S+)$/.exec(rest)
    if (instruction === 'FROM') stages.push({ from: from![1]!, name: from![2]!, steps: [] })
    else stages.at(-1)!.steps.push({ instruction, ...splitFlags(rest) })
  }
  return stages
}

function splitFlags(text: string): Pick<Step, 'flags' | 'value'> {
  const [, flags = '', value = ''] = /^((?:--\S+\s+)*)(.*)$/.exec(text)!
  const entries = flags.split(/\s+/).flatMap((flag) => {
    const [, name, set = ''] = /^--(\w+)=(.*)$/.exec(flag) ?? []
    return name === undefined ? [] : [[name, set]]
  })
  return { flags: Object.fromEntries(entries), value }
}
