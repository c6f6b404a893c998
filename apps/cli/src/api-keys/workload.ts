import type { BodyOf } from '@hosting/sdk'
import { usageError } from '../exit-codes.ts'
import * as option from '../options.ts'
import { toKebabCase, type Option, omitUndefined } from '../options.ts'

type Workload = NonNullable<BodyOf<'/api-keys', 'post'>['workload']>

const field = { field: 'workload' }

/** The options of a workload key: conditions of a known CI service, or any others. */
export const workloadOptions = {
  githubRepository: option.list('id', 'Workload key for this GitHub repository', field),
  githubOwner: option.list('id', 'Workload key for the repositories of this GitHub owner', field),
  gitlabProject: option.list('id', 'Workload key for this GitLab project', field),
  gitlabNamespace: option.list('id', 'Workload key for the projects of this GitLab group', field),
  issuer: option.text(
    'url',
    'Workload key of another OpenID Connect issuer, such as a GitLab server of your own',
    field,
  ),
  branch: option.list('name', 'Only for jobs on this branch'),
  environment: option.list('name', 'Only for jobs in this deployment environment'),
  condition: {
    placeholder: 'claim=value',
    description:
      'Only for identity tokens with this claim; several values of a claim are alternatives (repeatable)',
    repeatable: true,
    ...field,
    parse: (value, previous = []) => [...previous, value],
  } satisfies Option<string[] | undefined>,
  singleUse: {
    ...option.either(
      'Each identity token is exchanged once (default for GitHub and GitLab), or --no-single-use until it expires',
    ),
    ...field,
  },
  audience: option.text(
    'text',
    'Audience of the identity tokens, instead of a URL with the id of the key',
    field,
  ),
  tokenLifetime: option.duration('Lifetime of the tokens of a workload key', field),
} as const

/** The values of {@link workloadOptions}. */
export interface WorkloadInputs {
  readonly githubRepository?: readonly string[] | undefined
  readonly githubOwner?: readonly string[] | undefined
  readonly gitlabProject?: readonly string[] | undefined
  readonly gitlabNamespace?: readonly string[] | undefined
  readonly issuer?: string | undefined
  readonly branch?: readonly string[] | undefined
  readonly environment?: readonly string[] | undefined
  readonly condition?: readonly string[] | undefined
  readonly singleUse?: boolean | undefined
  readonly audience?: string | undefined
  readonly tokenLifetime?: number | undefined
}

/** How a CI service names what a job is. */
interface Service {
  readonly issuer: string
  /** The claim of each option. */
  readonly ids: Readonly<Record<string, string>>
  /** Where the ids are found. */
  readonly hint: string
  branchConditions(names: readonly string[]): Conditions
}

type Conditions = Readonly<Record<string, readonly string[]>>

const services: readonly Service[] = [
  {
    issuer: 'https://token.actions.githubusercontent.com',
    ids: { githubRepository: 'repository_id', githubOwner: 'repository_owner_id' },
    hint: "gh api repos/OWNER/REPOSITORY --jq '.id, .owner.id' prints both ids.",
    branchConditions: (names) => ({ ref: names.map((name) => `refs/heads/${name}`) }),
  },
  {
    issuer: 'https://gitlab.com',
    ids: { gitlabProject: 'project_id', gitlabNamespace: 'namespace_id' },
    hint: "The project's page shows its id in the menu at the top right; a group's page shows the id of the namespace.",
    branchConditions: (names) => ({ ref: names, ref_type: ['branch'] }),
  },
]

/**
 * What the key exchanges for its tokens; `undefined` if no option of a workload key is given.
 *
 * @throws a usage error for options that do not fit together.
 */
export function readWorkload(inputs: WorkloadInputs): Workload | undefined {
  const given = Object.keys(workloadOptions).filter(
    (name) => inputs[name as keyof WorkloadInputs] !== undefined,
  )
  if (given.length === 0) return undefined
  const service = findService(given)
  const issuer = inputs.issuer ?? service?.issuer
  if (issuer === undefined) {
    const message = `--${toKebabCase(given[0]!)} needs --github-repository, --gitlab-project or --issuer.`
    throw usageError('usage', message)
  }
  const conditions = {
    ...(service && idConditions(service, inputs)),
    ...branchConditions(service, inputs.branch),
    ...(inputs.environment && { environment: inputs.environment }),
  }
  return omitUndefined({
    issuer,
    conditions: withFurther(conditions, inputs.condition ?? []),
    token_lifetime_seconds: inputs.tokenLifetime,
    single_use: inputs.singleUse,
    audience: inputs.audience,
  }) as Workload
}

function findService(given: readonly string[]): Service | undefined {
  const found = services.filter(({ ids }) => given.some((name) => Object.hasOwn(ids, name)))
  if (found.length > 1) {
    throw usageError('usage', 'Options for GitHub and GitLab cannot be combined.')
  }
  return found[0]
}

function idConditions({ ids, hint }: Service, inputs: WorkloadInputs): Conditions {
  const conditions: Record<string, readonly string[]> = {}
  for (const [name, claim] of Object.entries(ids)) {
    const values = inputs[name as 'githubRepository']
    const wrong = values?.find((value) => !/^\d{1,20}$/.test(value))
    if (wrong !== undefined) {
      const message = `--${toKebabCase(name)} takes a numeric id, not "${wrong}": a name can be registered again by somebody else.`
      throw usageError('usage', message, hint)
    }
    if (values) conditions[claim] = values
  }
  return conditions
}

function branchConditions(
  service: Service | undefined,
  names: readonly string[] | undefined,
): Conditions {
  if (!names) return {}
  if (service) return service.branchConditions(names)
  throw usageError('usage', '--branch is only for GitHub and GitLab. Use --condition.')
}

/** Adds the values of `--condition`. The API takes one value as a text. */
function withFurther(
  conditions: Conditions,
  further: readonly string[],
): Record<string, string | string[]> {
  const all = new Map(Object.entries(conditions))
  for (const text of further) {
    const [, claim, value] = /^([^=]+)=(.+)$/s.exec(text) ?? []
    if (claim === undefined || value === undefined) {
      throw usageError('usage', 'A condition has the form claim=value.')
    }
    all.set(claim, [...(all.get(claim) ?? []), value])
  }
  return Object.fromEntries(
    [...all].map(([claim, values]) => [claim, values.length === 1 ? values[0]! : [...values]]),
  )
}
