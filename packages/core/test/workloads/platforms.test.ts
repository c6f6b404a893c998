import {
  checkConditions,
  checkIssuer,
  findFaultBeforeKeys,
  isSingleUseIssuer,
  readIdentityToken,
  readSigningKeys,
  verifyIdentityToken,
  type WorkloadConditions,
} from '@hosting/core/workloads'
import { beforeAll, expect, test } from '@jest/globals'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'

/** An identity token as a platform issues it. The audience is that of the key. */
interface Shape {
  /** The public documentation of its claims. */
  readonly source: string
  readonly issuer: string
  readonly alg?: 'RS256' | 'PS256' | 'ES256' | 'ES384' | 'EdDSA'
  readonly header?: object
  /** How long it is valid, in seconds. */
  readonly lifetime: number
  /** The claims as JSON, so that numbers keep their digits. */
  readonly claims: string
  readonly conditions: WorkloadConditions
  readonly isSingleUse?: true
}

const github = 'https://docs.github.com/actions/reference/security/oidc'
const gitlab = 'https://docs.gitlab.com/ci/secrets/id_token_authentication/'
const kubernetes =
  'https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens'
const aws =
  'https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_providers_outbound_token_claims.html'

const shapes: Readonly<Record<string, Shape>> = {
  'GitHub Actions': {
    source: github,
    issuer: 'https://token.actions.githubusercontent.com',
    lifetime: 300,
    claims: `{"jti":"a1","sub":"repo:octo-org/octo-repo:environment:prod","environment":"prod","ref":"refs/heads/main",
      "repository":"octo-org/octo-repo","repository_id":"74","repository_owner_id":"65","run_attempt":"2","nbf":0}`,
    conditions: { repository_id: '74', repository_owner_id: '65', environment: 'prod' },
    isSingleUse: true,
  },
  'GitHub Actions with an immutable subject': {
    source: github,
    issuer: 'https://token.actions.githubusercontent.com',
    lifetime: 300,
    claims: `{"sub":"repo:octocat@123456/my-repo@456789:ref:refs/heads/main","repository":"octocat/my-repo"}`,
    conditions: { sub: 'repo:octocat@123456/my-repo@456789:ref:refs/heads/main' },
    isSingleUse: true,
  },
  'GitHub Actions with a customized subject': {
    source: github,
    issuer: 'https://token.actions.githubusercontent.com',
    lifetime: 300,
    claims: `{"sub":"repository_id:74:job_workflow_ref:octo-org/ci/.github/workflows/d.yml@refs/heads/main"}`,
    conditions: { sub: 'repository_id:74:*' },
    isSingleUse: true,
  },
  'GitHub Actions of an enterprise with data residency': {
    source: 'https://docs.github.com/enterprise-cloud@latest/admin/data-residency',
    issuer: 'https://token.actions.octocorp.ghe.com',
    lifetime: 300,
    claims: `{"sub":"repo:octocorp/site:ref:refs/heads/main","repository_id":"9"}`,
    conditions: { repository_id: '9' },
    isSingleUse: true,
  },
  'GitLab with numbers as ids': {
    source: gitlab,
    issuer: 'https://gitlab.com',
    lifetime: 3_600,
    claims: `{"sub":"project_path:my-group/my-project:ref_type:tag:ref:v1.2.3","project_id":20,"namespace_id":"72",
      "ref":"v1.2.3","ref_type":"tag","ref_protected":"true","groups_direct":["mygroup/mysubgroup","myothergroup"]}`,
    conditions: {
      project_id: '20',
      namespace_id: '72',
      ref: 'v*',
      ref_type: 'tag',
      groups_direct: ['myothergroup'],
    },
    isSingleUse: true,
  },
  'a Kubernetes pod': {
    source: kubernetes,
    issuer: 'https://kubernetes.default.svc.cluster.local',
    lifetime: 3_607,
    claims: `{"jti":"ea","kubernetes.io":{"namespace":"my-namespace","node":{"name":"my-node"},
      "pod":{"name":"web-0","uid":"5e"},"serviceaccount":{"name":"my-sa","uid":"14"},"warnafter":1700000000},
      "sub":"system:serviceaccount:my-namespace:my-sa"}`,
    conditions: {
      sub: 'system:serviceaccount:my-namespace:my-sa',
      '/kubernetes.io/namespace': 'my-namespace',
      '/kubernetes.io/pod/name': 'web-*',
    },
  },
  'a Kubernetes pod with the longest subject': {
    source: kubernetes,
    issuer: 'https://kubernetes.default.svc',
    lifetime: 600,
    claims: `{"sub":"system:serviceaccount:${'n'.repeat(63)}:${'s'.repeat(253)}"}`,
    conditions: { sub: `system:serviceaccount:${'n'.repeat(63)}:${'s'.repeat(253)}` },
  },
  'Amazon EKS': {
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/iam-roles-for-service-accounts.html',
    issuer: 'https://oidc.eks.eu-central-1.amazonaws.com/id/EXAMPLED539D4633E53DE1B71EXAMPLE',
    lifetime: 86_400,
    claims: `{"sub":"system:serviceaccount:default:my-service-account"}`,
    conditions: { sub: 'system:serviceaccount:default:my-service-account' },
  },
  'AWS outbound federation with RS256': {
    source: aws,
    issuer: 'https://a1b2.tokens.sts.global.api.aws',
    lifetime: 300,
    claims: `{"sub":"arn:aws:iam::123456789012:role/DataProcessingRole","jti":"b",
      "https://sts.amazonaws.com/":{"aws_account":"123456789012","org_id":"o-abc",
      "principal_tags":{"environment":"production"},"lambda_source_function_arn":null}}`,
    conditions: {
      '/https:~1~1sts.amazonaws.com~1/aws_account': '123456789012',
      '/https:~1~1sts.amazonaws.com~1/principal_tags/environment': 'production',
    },
  },
  'AWS outbound federation with ES384': {
    source: aws,
    issuer: 'https://a1b2.tokens.sts.global.api.aws',
    alg: 'ES384',
    lifetime: 300,
    claims: `{"sub":"arn:aws:iam::123456789012:role/DataProcessingRole"}`,
    conditions: { sub: 'arn:aws:iam::123456789012:role/DataProcessingRole' },
  },
  'Google Cloud': {
    source: 'https://docs.cloud.google.com/compute/docs/instances/verifying-instance-identity',
    issuer: 'https://accounts.google.com',
    lifetime: 3_600,
    claims: `{"azp":"112179062720391305885","email":"a@b.iam.gserviceaccount.com","email_verified":true,
      "sub":"112179062720391305885","google":{"compute_engine":{"instance_id":"152986662232938449",
      "project_number":739419398126,"zone":"us-west1-a","license_id":["1000204"]}}}`,
    conditions: {
      sub: '112179062720391305885',
      email_verified: 'true',
      '/google/compute_engine/project_number': '739419398126',
      '/google/compute_engine/license_id': '1000204',
    },
  },
  'an Azure managed identity': {
    source: 'https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference',
    issuer: 'https://sts.windows.net/72f988bf-86f1-41af-91ab-2d7cd011db47/',
    // 24 hours and 5 minutes.
    lifetime: 86_700,
    claims: `{"oid":"b4b5e6a1","sub":"b4b5e6a1","tid":"72f988bf","appid":"06","roles":["Deploy.All","Read.All"],"ver":"1.0"}`,
    conditions: { oid: 'b4b5e6a1', tid: '72f988bf', roles: 'Deploy.All' },
  },
  Buildkite: {
    source: 'https://buildkite.com/docs/agent/cli/reference/oidc',
    issuer: 'https://agent.buildkite.com',
    lifetime: 300,
    claims: `{"sub":"organization:acme-inc:pipeline:super-duper-app:ref:refs/heads/main:commit:9f3182061f1e2cca4702c368cbc039b7dc9d4485:step:build",
      "organization_slug":"acme-inc","pipeline_slug":"super-duper-app","build_number":1,"step_key":"build"}`,
    conditions: {
      organization_slug: 'acme-inc',
      pipeline_slug: 'super-duper-app',
      step_key: 'build',
    },
  },
  CircleCI: {
    source: 'https://circleci.com/docs/openid-connect-tokens/',
    issuer: 'https://oidc.circleci.com/org/d8e5',
    lifetime: 3_600,
    claims: `{"sub":"org/d8e5/project/76c3/user/63a9","oidc.circleci.com/project-id":"76c3",
      "oidc.circleci.com/context-ids":["c1","c2"],"oidc.circleci.com/ssh-rerun":false}`,
    conditions: {
      'oidc.circleci.com/project-id': '76c3',
      'oidc.circleci.com/context-ids': 'c2',
      'oidc.circleci.com/ssh-rerun': 'false',
    },
  },
  Vercel: {
    source: 'https://vercel.com/docs/oidc/reference',
    issuer: 'https://oidc.vercel.com/acme',
    lifetime: 3_600,
    claims: `{"sub":"owner:acme:project:site:environment:production","owner_id":"team_7","project_id":"prj_7","environment":"production","nbf":0}`,
    conditions: { owner_id: 'team_7', project_id: 'prj_7', environment: 'production' },
  },
  Fly: {
    source: 'https://fly.io/docs/security/openid-connect/',
    issuer: 'https://oidc.fly.io/acme',
    lifetime: 600,
    claims: `{"sub":"acme:web:weather-cat","app_id":"3671581","app_name":"web","machine_id":"3d8d377ce9e398","nbf":0}`,
    conditions: { sub: 'acme:web:*', app_id: '3671581' },
  },
  'HCP Terraform': {
    source:
      'https://developer.hashicorp.com/terraform/cloud-docs/workspaces/dynamic-provider-credentials/workload-identity-tokens',
    issuer: 'https://app.terraform.io',
    lifetime: 7_200,
    claims: `{"sub":"organization:my-org:project:p:workspace:my-workspace:run_phase:apply","nbf":0,
      "terraform_organization_id":"org-G","terraform_run_phase":"apply","terraform_workspace_id":"ws-m"}`,
    conditions: { terraform_workspace_id: 'ws-m', terraform_run_phase: ['plan', 'apply'] },
  },
  'Bitbucket Pipelines': {
    source:
      'https://support.atlassian.com/bitbucket-cloud/docs/integrate-pipelines-with-resource-servers-using-oidc/',
    issuer: 'https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc',
    lifetime: 3_600,
    claims: `{"sub":"{5f7f}:{a9c2}","repositoryUuid":"{5f7f}","stepUuid":"{a9c2}","branchName":"main"}`,
    conditions: { repositoryUuid: '{5f7f}', branchName: 'main' },
  },
  'an issuer with a slash at the end and ids of 20 digits': {
    source: 'https://openid.net/specs/openid-connect-core-1_0.html#IDToken',
    issuer: 'https://issuer.example/',
    alg: 'EdDSA',
    lifetime: 600,
    claims: `{"sub":"a","id":12345678901234567890,"rate":1.50}`,
    conditions: { id: '12345678901234567890', rate: '1.50' },
  },
  'an issuer whose tokens name no type': {
    source: 'https://www.rfc-editor.org/rfc/rfc7519#section-5.1',
    issuer: 'https://issuer.example',
    alg: 'PS256',
    header: { typ: undefined, kid: undefined },
    lifetime: 600,
    claims: `{"sub":"a","tier":"gold"}`,
    conditions: { tier: 'gold' },
  },
}

const audience = 'https://panel.example/workloads/abcdefghijkl'
const now = 1_800_000_000
const pairs = new Map<string, Awaited<ReturnType<typeof generateKeyPair>>>()

beforeAll(async () => {
  for (const alg of ['RS256', 'PS256', 'ES384', 'EdDSA']) {
    pairs.set(alg, await generateKeyPair(alg, { extractable: true }))
  }
})

async function sign({ issuer, alg = 'RS256', header, lifetime, claims }: Shape): Promise<string> {
  const own = { iss: issuer, aud: [audience], iat: now - 10, exp: now - 10 + lifetime }
  const payload = `${JSON.stringify(own).slice(0, -1)},${claims.trim().slice(1)}`
  return new CompactSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg, kid: 'key', typ: 'JWT', ...header })
    .sign(pairs.get(alg)!.privateKey)
}

const named = Object.entries(shapes).map(([name, shape]) => [name, shape.source, shape] as const)

test.each(named)('a token of %s is accepted (%s)', async (_name, _source, shape) => {
  const { issuer, alg = 'RS256', conditions, isSingleUse = false } = shape
  expect(checkIssuer(issuer, { allowsHttp: false })).toBeUndefined()
  expect(checkConditions(issuer, conditions)).toEqual([])
  expect(isSingleUseIssuer(issuer)).toBe(isSingleUse)
  const published = { ...(await exportJWK(pairs.get(alg)!.publicKey)), kid: 'key' }
  const keys = readSigningKeys({ keys: [published, { kty: 'AKP', kid: 'key' }] })!
  const token = await sign(shape)
  const unverified = readIdentityToken(token)!
  expect(unverified.claims.audience).toBe(audience)
  expect(findFaultBeforeKeys(unverified, { issuer }, now)).toBeUndefined()
  const verified = await verifyIdentityToken({ token, unverified }, { issuer, conditions }, keys)
  expect(verified.cause).toBeUndefined()
  // One condition that the token does not meet is enough.
  const stricter = { ...conditions, sub: 'somebody else' }
  const refused = await verifyIdentityToken(
    { token, unverified },
    { issuer, conditions: stricter },
    keys,
  )
  expect(refused.cause).toBe('conditions')
})
