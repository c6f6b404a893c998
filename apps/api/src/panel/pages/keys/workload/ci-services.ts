import { validationFailed } from '@hosting/core/problems'
import { knownIssuers } from '@hosting/core/workloads'
import type { SubmittedForm } from '../../../form.ts'
import type { ConditionLists } from './conditions.ts'

/** A field of the form for a CI service, which becomes a condition. */
export interface CiField {
  readonly name: string
  readonly claim: string
  readonly label: string
  readonly hint: string
  /** A numeric id. */
  readonly isId?: boolean
  /** The conditions that its value stands for. Default: the claim equals it. */
  readonly toConditions?: (value: string) => ConditionLists
}

/** A CI service as the form offers it. */
export interface CiService {
  readonly name: string
  readonly issuer: string | undefined
  readonly fields: readonly CiField[]
}

const environment: CiField = {
  name: 'environment',
  claim: 'environment',
  label: 'Environment (optional)',
  hint: 'Only jobs of this deployment environment, for example production. Its protection rules then also protect the key.',
}

/** The CI services of the form, by their parameter in the URL. */
export const ciServices: Readonly<Record<'github' | 'gitlab' | 'other', CiService>> = {
  github: {
    name: 'GitHub Actions',
    issuer: knownIssuers.github,
    fields: [
      {
        name: 'repository_id',
        claim: 'repository_id',
        label: 'Repository ID',
        hint: 'A number. `gh api repos/OWNER/REPOSITORY --jq .id` prints it. A repository that takes over the name later has another ID.',
        isId: true,
      },
      {
        name: 'repository_owner_id',
        claim: 'repository_owner_id',
        label: 'Owner ID (optional)',
        hint: 'A number. `gh api users/OWNER --jq .id` prints it. Without a repository ID, all repositories of this owner are accepted.',
        isId: true,
      },
      {
        name: 'branch',
        claim: 'ref',
        label: 'Branch (optional)',
        hint: 'Only jobs on this branch, for example main. Without it, jobs of every branch and of pull requests from the repository are accepted.',
        toConditions: (branch) => ({ ref: [`refs/heads/${branch}`] }),
      },
      environment,
    ],
  },
  gitlab: {
    name: 'GitLab',
    issuer: knownIssuers.gitlab,
    fields: [
      {
        name: 'project_id',
        claim: 'project_id',
        label: 'Project ID',
        hint: 'A number. The page of the project shows it in the menu at the top right, under Copy project ID.',
        isId: true,
      },
      {
        name: 'namespace_id',
        claim: 'namespace_id',
        label: 'Group ID (optional)',
        hint: 'A number, on the page of the group. Without a project ID, all projects of this group are accepted, but not those of its subgroups.',
        isId: true,
      },
      {
        name: 'branch',
        claim: 'ref',
        label: 'Branch (optional)',
        hint: 'Only jobs on this branch, for example main.',
        toConditions: (branch) => ({ ref: [branch], ref_type: ['branch'] }),
      },
      environment,
    ],
  },
  other: { name: 'Any issuer', issuer: undefined, fields: [] },
}

/** The name of a CI service in the URL. */
export type CiServiceName = keyof typeof ciServices

/** The CI service that the URL of the form names. Default: GitHub. */
export const toCiServiceName = (text: string | undefined): CiServiceName =>
  text === 'gitlab' || text === 'other' ? text : 'github'

/** The field of each claim that has one. */
export const fieldsOfClaims = ({ fields }: CiService): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map(({ claim, name }) => [claim, name]))

/**
 * Reads the fields of a CI service.
 *
 * @throws Problem `validation_failed` for ids that are missing or no numbers.
 */
export function readCiFields({ fields }: CiService, form: SubmittedForm): ConditionLists {
  const given = fields.filter(({ name }) => form.text(name) !== undefined)
  const ids = fields.filter(({ isId }) => isId)
  const wrong = given.filter(({ name, isId }) => isId && !/^\d{1,20}$/.test(form.text(name)!))
  if (wrong.length > 0) {
    const message =
      'must be a number. Names are not accepted, because somebody else can register them again.'
    throw validationFailed(...wrong.map(({ name }) => ({ pointer: `/${name}`, message })))
  }
  if (ids.length > 0 && !ids.some((id) => given.includes(id))) {
    const message = 'is required, or the ID below.'
    throw validationFailed({ pointer: `/${ids[0]!.name}`, message })
  }
  return Object.assign(
    {},
    ...given.map(({ name, claim, toConditions }) => {
      const value = form.text(name)!
      return toConditions ? toConditions(value) : { [claim]: [value] }
    }),
  ) as ConditionLists
}
