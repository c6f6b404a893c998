import { createRenamer, defaultNames } from '@hosting/core/branding'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packWheel, wheelNameOf } from '../../apps/api/src/docs/downloads/packages.ts'
import { root } from '../../tools/run.ts'
import { stageWheel, wheelName } from '../../tools/site/wheel.ts'
import { useApi } from '../support/api.ts'

const api = useApi()
const { version } = JSON.parse(readFileSync(`${root}packages/sdk/package.json`, 'utf8')) as {
  version: string
}

let folder = ''
let served: Buffer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hosting-wheel-'))
  const response = await fetch(`${api.url}/downloads/${wheelName()}`)
  served = Buffer.from(await response.arrayBuffer())
  writeFileSync(join(folder, wheelName()), served)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Checks a wheel as an installer does, and prints the texts of its files by path. */
const program = `
import base64, hashlib, json, sys, zipfile

with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    files = {name: archive.read(name) for name in archive.namelist()}
record = next(name for name in files if name.endswith(".dist-info/RECORD"))
lines = [line.split(",") for line in files[record].decode().splitlines()]
assert sorted(path for path, _, _ in lines) == sorted(files), lines
for path, digest, size in lines:
    if path == record:
        continue
    content = files[path]
    expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    assert (digest, size) == ("sha256=" + expected, str(len(content))), path
json.dump({path: content.decode() for path, content in files.items()}, sys.stdout)
`

function readWheel(): Readonly<Record<string, string>> {
  const { stdout, stderr } = spawnSync('python3', ['-c', program, join(folder, wheelName())])
  if (stderr.length > 0) throw new Error(String(stderr))
  return JSON.parse(String(stdout)) as Record<string, string>
}

describe('the wheel of the Python client', () => {
  test('is served with its version, and /downloads/hosting_sdk.whl redirects there', async () => {
    expect(wheelName()).toBe(`hosting_sdk-${version}-py3-none-any.whl`)
    const { status, headers } = await fetch(`${api.url}/downloads/hosting_sdk.whl`, {
      redirect: 'manual',
    })
    expect([status, headers.get('location')]).toEqual([302, `/downloads/${wheelName()}`])
    const page = await (await fetch(`${api.url}/docs/sdk.md`)).text()
    expect(page).toContain(`/downloads/${wheelName()}\n`)
  })

  test('is the same archive each time it is built', () => {
    stageWheel(join(folder, 'again'))
    const rename = createRenamer({ ...defaultNames, publicUrl: api.url })
    expect(wheelNameOf(join(folder, 'again'))).toBe(wheelName())
    expect(packWheel(join(folder, 'again'), rename).equals(served)).toBe(true)
  })

  test('has the code, its types, README, CHANGELOG and LICENSE, and says what they need', () => {
    const files = readWheel()
    const info = `hosting_sdk-${version}.dist-info`
    const names = ['CHANGELOG.md', 'LICENSE', 'METADATA', 'README.md', 'RECORD', 'WHEEL']
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        'hosting_sdk/__init__.py',
        'hosting_sdk/py.typed',
        ...names.map((name) => `${info}/${name}`),
      ]),
    )
    expect(files[`${info}/METADATA`]).toContain(`\nVersion: ${version}\n`)
    expect(files[`${info}/METADATA`]).toContain('\nRequires-Python: >=3.9\n')
    expect(files[`${info}/METADATA`]).not.toContain('Requires-Dist')
  })

  test('says nothing of the internal API, and names the headers of no installation', () => {
    const text = Object.values(readWheel()).join('\n')
    expect(text).not.toMatch(/internal\/v1|InternalClient|service token/i)
    expect(readWheel()['hosting_sdk/generated/verify.py']).toContain('<prefix>-Signature')
  })
})
