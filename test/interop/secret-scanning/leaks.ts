/** A file with a key, as keys leak. */
export interface Leak {
  /** The name of the file. */
  readonly name: string
  readonly content: (key: string) => string | Buffer
  /** Whether detect-secrets finds no key in it, because it decodes nothing. */
  readonly encoded?: true
}

/** Files with a key, in each form in which keys leak. */
export const leaks: readonly Leak[] = [
  { name: '.env', content: (key) => `HCTL_TOKEN=${key}\n` },
  { name: 'exports.sh', content: (key) => `export HCTL_TOKEN='${key}'\n` },
  { name: '.netrc', content: (key) => `machine api.example.com login ci password ${key}\n` },
  { name: '.curlrc', content: (key) => `header = "Authorization: Bearer ${key}"\n` },
  { name: 'config.json', content: (key) => JSON.stringify({ url: '/api', token: key }, null, 2) },
  { name: 'minified.json', content: (key) => JSON.stringify([{ a: [1, key, 2] }]) },
  { name: 'values.yaml', content: (key) => `hosting:\n  token: ${key} # of the CI\n` },
  { name: 'compose.yaml', content: (key) => `environment:\n  - HCTL_TOKEN=${key}\n` },
  { name: 'workflow.yml', content: (key) => `env:\n  HCTL_TOKEN: "${key}"\n` },
  { name: 'config.toml', content: (key) => `token = "${key}"\n` },
  { name: 'settings.ini', content: (key) => `[api]\ntoken=${key}\r\n` },
  { name: 'app.properties', content: (key) => `hosting.token: ${key}\n` },
  { name: 'secrets.tfvars', content: (key) => `hosting_token = "${key}"\n` },
  { name: 'Dockerfile', content: (key) => `FROM debian\nENV HCTL_TOKEN ${key}\n` },
  { name: 'secret.yaml', content: (key) => `kind: Secret\nstringData:\n  token: ${key}\n` },
  {
    name: 'secret-data.yaml',
    content: (key) => `kind: Secret\ndata:\n  token: ${Buffer.from(key).toString('base64')}\n`,
    encoded: true,
  },
  {
    name: 'secret-env.yaml',
    content: (key) =>
      `data:\n  env: ${Buffer.from(`A=1\nHCTL_TOKEN=${key}\n`).toString('base64')}\n`,
    encoded: true,
  },
  { name: 'bash_history', content: (key) => `ls\ncurl -H 'Authorization: Bearer ${key}' x\n` },
  { name: 'zsh_history', content: (key) => `: 1764000000:0;export HCTL_TOKEN=${key}\n` },
  { name: 'fish_history', content: (key) => `- cmd: set -x HCTL_TOKEN ${key}\n  when: 1\n` },
  {
    name: 'ConsoleHost_history.txt',
    content: (key) => Buffer.from(`\uFEFF$env:HCTL_TOKEN = "${key}"\r\n`, 'utf16le'),
    encoded: true,
  },
  { name: 'access.log', content: (key) => `10.0.0.1 "GET /?token=${key}&a=b HTTP/1.1" 200\n` },
  {
    name: 'percent.log',
    content: (key) => `GET /login?next=%2Fapi%3Ftoken%3D${key.replaceAll('_', '%5F')}%26a 302\n`,
    encoded: true,
  },
  { name: 'terminal.log', content: (key) => `\u001B[32m${key}\u001B[0m\n` },
  { name: 'lines.json', content: (key) => JSON.stringify({ log: `created\n${key}\n` }) },
  { name: 'tabs.json', content: (key) => JSON.stringify({ log: `token\t${key}\tCI` }) },
  { name: 'words.txt', content: (key) => `backup_${key}\n` },
  { name: 'export.csv', content: (key) => `name,token,created\nCI,${key},2026-11-28\n` },
  { name: 'main.py', content: (key) => `client = Client(token="${key}")\n` },
  { name: 'main.ts', content: (key) => `const token = \`${key}\`;\n` },
  { name: 'main.go', content: (key) => `const token = "${key}"\n` },
  { name: 'Main.java', content: (key) => `private static final String TOKEN = "${key}";\n` },
  { name: 'index.php', content: (key) => `<?php $token = '${key}';\n` },
  { name: 'page.html', content: (key) => `<meta name="token" content="${key}">\n` },
  { name: 'notes.md', content: (key) => `The token is **${key}**, or [${key}](${key}).\n` },
]
