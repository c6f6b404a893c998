import { nameOfIssuer } from '@hosting/core/workloads'
import type { KeyRecord } from '../../../../api/schemas/api-key.ts'

/** A workload key. */
export type WorkloadKeyRecord = KeyRecord & { readonly workload: object }

/** Ready code that gets a token, for the place where the job runs. */
export interface Snippet {
  readonly title: string
  readonly code: string
}

/** Where a job finds the service, and the client that it offers. */
export interface ServiceAddress {
  readonly publicUrl: string
  /** The name of the command line client. */
  readonly command: string
}

/** The code for the issuer of the key. An issuer that is not known may be a GitLab server of the customer's own. */
export function snippetsFor(key: WorkloadKeyRecord, service: ServiceAddress): readonly Snippet[] {
  const all = { github: gitHub(key, service), gitlab: gitLab(key, service) }
  const other = elsewhere(service)
  const issuer = nameOfIssuer(key.workload.issuer)
  if (issuer === 'github') return [all.github]
  return issuer === 'gitlab' ? [all.gitlab] : [all.gitlab, other]
}

/** The option of the client that names the audience, for the shell in a block of YAML. */
const audienceOption = ({ id, workload }: WorkloadKeyRecord, publicUrl: string): string =>
  workload.audience === `${publicUrl}/workloads/${id}`
    ? `--key ${id}`
    : `--audience '${workload.audience.replaceAll("'", `'\\''`)}'`

/** A text in YAML: as it is, or in quotation marks, which JSON has in common with YAML. */
const toYaml = (text: string): string =>
  /^[\w:/.-]+$/.test(text) && !text.endsWith(':') ? text : JSON.stringify(text)

const gitHub = (key: WorkloadKeyRecord, { publicUrl, command }: ServiceAddress): Snippet => ({
  title: '.github/workflows/deploy.yml',
  code: `jobs:
  deploy:
    runs-on: ubuntu-latest
    permissions:
      id-token: write # lets the job request an identity token
      contents: read
    steps:
      - uses: actions/checkout@v5
      - name: Get a token
        run: |
          curl -fsSLo "$RUNNER_TEMP/${command}.mjs" ${publicUrl}/downloads/${command}.mjs
          node "$RUNNER_TEMP/${command}.mjs" token exchange --server ${publicUrl} ${audienceOption(key, publicUrl)} --export
      - name: Call the API
        run: curl -fsS -H "Authorization: Bearer $HCTL_TOKEN" ${publicUrl}/api/v1/auth/me
`,
})

const gitLab = (
  { workload }: WorkloadKeyRecord,
  { publicUrl, command }: ServiceAddress,
): Snippet => ({
  title: '.gitlab-ci.yml',
  code: `deploy:
  image: node:24
  id_tokens:
    HCTL_ID_TOKEN:
      aud: ${toYaml(workload.audience)}
  script:
    - curl -fsSLo ${command}.mjs ${publicUrl}/downloads/${command}.mjs
    - HCTL_TOKEN=$(node ${command}.mjs token exchange --server ${publicUrl})
    - 'curl -fsS -H "Authorization: Bearer $HCTL_TOKEN" ${publicUrl}/api/v1/auth/me'
`,
})

const elsewhere = ({ publicUrl }: ServiceAddress): Snippet => ({
  title: 'Any program',
  code: `curl -fsS ${publicUrl}/api/v1/auth/token \\
  --data-urlencode grant_type=urn:ietf:params:oauth:grant-type:token-exchange \\
  --data-urlencode subject_token_type=urn:ietf:params:oauth:token-type:id_token \\
  --data-urlencode subject_token@identity-token.txt
`,
})
