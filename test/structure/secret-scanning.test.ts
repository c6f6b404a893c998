import { createKeyToken, formatKeyToken, parseKeyToken } from '@hosting/core/api-keys'
import { createDeviceCode } from '@hosting/core/device-login'
import { createSigningSecret } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { root } from '../../tools/run.ts'

/** The fields of a gitleaks rule that decide a match. Its expressions have the same meaning in JavaScript. */
interface Rule {
  readonly id: string
  readonly regex: RegExp
  readonly keywords: readonly string[]
  readonly entropy: number
  readonly allowed: RegExp | undefined
}

const folder = 'deploy/secret-scanning'
const readme = readFileSync(`${root}${folder}/README.md`, 'utf8')
const rules = readRules(readFileSync(`${root}${folder}/gitleaks.toml`, 'utf8'))

function readRules(toml: string): Rule[] {
  const [, ...tables] = toml.split('\n[[rules]]\n')
  return tables.map((table) => {
    const [rule = '', ...lists] = table.split(/\n\[\[(?:rules\.)?allowlists\]\]\n/)
    const valueOf = (name: string): string =>
      new RegExp(`^${name} = (.*)$`, 'm').exec(rule)![1]!.replace(/^(?:'''|")|(?:'''|")$/g, '')
    const allowed = lists.flatMap((list) => /^regexes = \['''(.*)'''\]$/m.exec(list)?.[1] ?? [])
    expect(valueOf('secretGroup')).toBe('1')
    return {
      id: valueOf('id'),
      regex: new RegExp(valueOf('regex'), 'g'),
      keywords: JSON.parse(valueOf('keywords')) as string[],
      entropy: Number(valueOf('entropy')),
      allowed: allowed[0] === undefined ? undefined : new RegExp(allowed[0]),
    }
  })
}

/** The findings of gitleaks with a rule: it scans texts with a keyword, and drops matches with low entropy. */
function find({ regex, keywords, entropy, allowed }: Rule, text: string): string[] {
  const lower = text.toLowerCase()
  if (!keywords.some((keyword) => lower.includes(keyword))) return []
  return [...text.matchAll(regex)]
    .map((match) => match[1]!)
    .filter((secret) => entropyOf(secret) > entropy && !allowed?.test(secret))
}

/** Shannon entropy in bits per character. */
function entropyOf(text: string): number {
  const shares = [...Map.groupBy(text, (character) => character).values()].map(
    ({ length }) => length / text.length,
  )
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0)
}

/** As earlier versions created it. */
const createOlderSigningSecret = () => `whsec_${randomBytes(32).toString('base64url')}`

/** What each rule must find. */
const kinds: readonly (readonly [what: string, id: string, create: () => string])[] = [
  ['an API key', 'hosting-control-api-key', () => formatKeyToken(createKeyToken())],
  [
    'an API key in UTF-16',
    'hosting-control-api-key-in-utf-16',
    () => formatKeyToken(createKeyToken()).replaceAll(/./g, '$&\0'),
  ],
  ['a signing secret', 'hosting-control-signing-secret', createSigningSecret],
  ['an older signing secret', 'hosting-control-signing-secret', createOlderSigningSecret],
  ['a device code', 'hosting-control-device-code', createDeviceCode],
]

test('every rule is tested', () => {
  expect(new Set(kinds.map(([, id]) => id))).toEqual(new Set(rules.map(({ id }) => id)))
})

const surroundings: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `Authorization: Bearer ${secret}\r\n`,
  (secret) => `curl -H 'Authorization: Bearer ${secret}' https://x.example`,
  (secret) => `export HCTL_TOKEN=${secret}\n`,
  (secret) => `HCTL_TOKEN="${secret}"`,
  (secret) => `{"token":"${secret}","key":{}}`,
  (secret) => `token: ${secret} # the demo's`,
  (secret) => `const token = \`${secret}\`;`,
  (secret) => `https://x.example/?token=${secret}&a=b`,
  (secret) => `<token>${secret}</token>`,
  (secret) => `[secret](${secret}), (${secret}).`,
  (secret) => `a,${secret},b`,
  // After a color of a terminal, an escape sequence in a string, or a word.
  (secret) => `\u001B[32m${secret}\u001B[0m`,
  (secret) => `"first line\\n${secret}"`,
  (secret) => `backup_${secret}`,
]

describe.each(kinds)('the rule for %s', (_what, id, create) => {
  const rule = rules.find((each) => each.id === id)!
  const secrets = Array.from({ length: 1_000 }, create)

  test('finds each of 1,000 complete secrets in common contexts', () => {
    for (const [index, secret] of secrets.entries()) {
      const text = surroundings[index % surroundings.length]!(secret)
      expect(new Set(find(rule, text))).toEqual(new Set([secret]))
    }
  })

  test('their entropy is well above the minimum of the rule', () => {
    expect(Math.min(...secrets.map(entropyOf))).toBeGreaterThan(rule.entropy + 0.2)
  })

  test('finds no near miss', () => {
    const misses: ((secret: string) => string)[] = [
      // With its padding, because without it a secret may have the older form.
      (secret) => secret.replace(/.=?$/, ''),
      (secret) => `${secret}A`,
      (secret) => secret.toUpperCase(),
      (secret) => secret.replace('_', '-'),
      (secret) => secret.replace('_', ''),
      (secret) => `${secret.slice(0, 20)} ${secret.slice(20)}`,
      (secret) => `${secret.slice(0, 20)}.${secret.slice(21)}`,
      (secret) => secret.slice(0, 8) + 'a'.repeat(secret.length - 8),
    ]
    for (const secret of secrets.slice(0, 100)) {
      for (const miss of misses) expect(find(rule, ` ${miss(secret)} `)).toEqual([])
    }
  })
})

describe('an API key', () => {
  const [keyRule] = rules as [Rule]

  test('is not found with an invalid id or a checksum that is too large', () => {
    const token = formatKeyToken(createKeyToken())
    for (const id of ['aaaaaaaaaaa1', 'aaaaaaaaaaaA', 'abcdefghijk', 'abcdefghijklm']) {
      expect(find(keyRule, token.replace(/(?<=^hctl_)[a-z2-7]+/, id))).toEqual([])
    }
    expect(find(keyRule, `${token.slice(0, -6)}5${token.slice(-5)}`)).toEqual([])
  })

  test('with another prefix is found by the rules that the README creates', () => {
    const [, from, to] = /^sed 's\/(\w+)\/(\w+)\/g'/m.exec(readme)!
    const toml = readFileSync(`${root}${folder}/gitleaks.toml`, 'utf8')
    const [rule] = readRules(toml.replaceAll(from!, to!)) as [Rule]
    for (let round = 0; round < 100; round++) {
      const token = formatKeyToken(createKeyToken('acme'))
      expect(find(rule, `token: ${token}`)).toEqual([token])
      expect(find(keyRule, `token: ${token}`)).toEqual([])
    }
  })

  /** What the README's code returns for each. */
  const readmeSays = (tokens: readonly string[]): boolean[] => {
    const code = /```js\n([^`]*)```/.exec(readme)![1]!
    const script = `${code}\nconsole.log(JSON.stringify(${JSON.stringify(tokens)}.map(hasRightChecksum)))`
    const args = ['--input-type=module', '--eval', script]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as boolean[]
  }

  test('its checksum matches the code of the README', () => {
    const good = Array.from({ length: 200 }, () => formatKeyToken(createKeyToken()))
    expect(new Set(readmeSays(good))).toEqual(new Set([true]))
    const typos = good.map((token) =>
      token.replace(/.(?=.{6}$)/, (last) => (last === 'a' ? 'b' : 'a')),
    )
    expect(typos.filter((token) => parseKeyToken(token))).toEqual([])
    expect(new Set(readmeSays(typos))).toEqual(new Set([false]))
  })

  test('the expression for GitHub in the README matches what the rule matches', () => {
    const expression = /^\| Regular expression \| `([^`]+)` +\|$/m.exec(readme)![1]!
    expect(keyRule.regex.source).toContain(`(${expression})`)
  })
})

/** Installed, built or temporary files. */
const notOurs = /(^|\/)(node_modules|dist|generated|coverage|\.git|\.cache|\.local)$/

test('no file of this repository contains an issued secret', async () => {
  const found: string[] = []
  let files = 0
  const entries = glob('**/*', {
    cwd: root,
    withFileTypes: true,
    exclude: ({ parentPath, name }) => notOurs.test(`${parentPath}/${name}`),
  })
  for await (const entry of entries) {
    if (!entry.isFile()) continue
    const path = `${entry.parentPath}/${entry.name}`
    const text = readFileSync(path, 'utf8')
    files += 1
    for (const rule of rules) {
      for (const secret of find(rule, text)) found.push(`${path}: ${secret.slice(0, 12)}…`)
    }
  }
  expect(files).toBeGreaterThan(300)
  expect(found).toEqual([])
})

test('the plugin for detect-secrets has the expressions of the rules', () => {
  const plugin = readFileSync(`${root}${folder}/detect_secrets_plugin.py`, 'utf8')
  const expressions = [...plugin.matchAll(/^ +r"(.*)",$/gm)].map(([, expression]) => expression)
  // detect-secrets reads files as text, so a rule for UTF-16 is of no use.
  const compared = rules.filter(({ id }) => !id.endsWith('utf-16'))
  expect(expressions).toEqual(compared.map(({ regex }) => regex.source.replaceAll('\\/', '/')))
})
