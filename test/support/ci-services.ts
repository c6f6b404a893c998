import { randomUUID } from 'node:crypto'
import { startIssuer, type Issuer } from './issuer.ts'
import type { ReceivedRequest, Reply } from './receiver.ts'

/** The claims of an identity token. */
export type JobClaims = Readonly<Record<string, unknown>>

/** GitHub Actions, as a job of the repository 1234 of the owner 56 sees it. */
export interface GitHubService extends Issuer {
  /** The variables of a job that may request identity tokens. */
  readonly variables: Readonly<Record<string, string>>
  /** Changes claims of the identity tokens from now on. */
  setClaims(claims: JobClaims): void
}

/**
 * Starts an issuer that speaks as GitHub Actions does: a job requests its identity token from the runner, with an
 * audience (https://docs.github.com/actions/reference/openid-connect-reference).
 */
export async function startGitHub(): Promise<GitHubService> {
  const secret = randomUUID()
  let changed: JobClaims = {}
  const issuer = await startIssuer((request) =>
    request.path.startsWith('/runner/') ? respondTo(request) : undefined,
  )
  function respondTo({ path, headers }: ReceivedRequest): Reply {
    const query = new URL(path, issuer.url).searchParams
    if (headers.authorization !== `Bearer ${secret}`) return { status: 401 }
    if (query.get('api-version') !== '2.0') return { status: 400 }
    const aud = query.get('audience') ?? 'https://github.com/acme'
    const value = issuer.sign({ ...githubClaims, aud, ...changed })
    return { status: 200, body: JSON.stringify({ count: value.length, value }) }
  }
  return {
    ...issuer,
    setClaims: (claims) => void (changed = claims),
    variables: {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/runner/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret,
    },
  }
}

const githubClaims: JobClaims = {
  sub: 'repo:acme/site:ref:refs/heads/main',
  repository: 'acme/site',
  repository_id: '1234',
  repository_owner: 'acme',
  repository_owner_id: '56',
  repository_visibility: 'private',
  ref: 'refs/heads/main',
  ref_type: 'branch',
  ref_protected: 'true',
  sha: '10e1b2e7a6e2b2c8c6a0a3c61b9b3c1f1d2e3f4a',
  actor: 'octocat-of-acme',
  actor_id: '12',
  event_name: 'push',
  workflow: 'Deploy',
  workflow_ref: 'acme/site/.github/workflows/deploy.yml@refs/heads/main',
  job_workflow_ref: 'acme/site/.github/workflows/deploy.yml@refs/heads/main',
  run_id: '929292',
  run_number: '10',
  run_attempt: '1',
  runner_environment: 'github-hosted',
  head_ref: '',
  base_ref: '',
}

/** GitLab, as a job of the project 20 in the namespace 72 sees it. */
export interface GitLabService extends Issuer {
  /** The identity token that a job gets in a variable of `id_tokens`. */
  idToken(audience: string, claims?: JobClaims): string
  readonly variables: Readonly<Record<string, string>>
}

/**
 * Starts an issuer that speaks as GitLab does: a job gets its identity tokens in variables
 * (https://docs.gitlab.com/ci/secrets/id_token_authentication).
 */
export async function startGitLab(): Promise<GitLabService> {
  const issuer = await startIssuer()
  return {
    ...issuer,
    idToken: (aud, claims = {}) => issuer.sign({ ...gitlabClaims, aud, ...claims }),
    variables: { CI: 'true', GITLAB_CI: 'true' },
  }
}

const gitlabClaims: JobClaims = {
  sub: 'project_path:acme/site:ref_type:branch:ref:main',
  namespace_id: '72',
  namespace_path: 'acme',
  project_id: '20',
  project_path: 'acme/site',
  user_id: '1',
  user_login: 'ana-of-acme',
  user_email: 'ana-of-acme@example.test',
  pipeline_id: '574',
  pipeline_source: 'push',
  job_id: '302',
  ref: 'main',
  ref_type: 'branch',
  ref_path: 'refs/heads/main',
  ref_protected: 'true',
  runner_id: 1,
  runner_environment: 'gitlab-hosted',
  sha: '714a629c0b401fdce83e847fc9589983fc6f46bc',
  ci_config_ref_uri: 'gitlab.example.test/acme/site//.gitlab-ci.yml@refs/heads/main',
}
