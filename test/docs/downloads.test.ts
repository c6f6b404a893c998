import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import {
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../tools/run.ts'
import { stageSdk } from '../../tools/site/downloads.ts'
import { useApi } from '../support/api.ts'
import { serviceToken } from '../support/environment.ts'

const api = useApi()
const run = promisify(execFile)

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hosting-downloads-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What this machine needs to reach its package registry. */
const networkSettings = Object.fromEntries(
  ['npm_config_registry', 'npm_config_userconfig', 'NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY']
    .map((name) => [name, process.env[name]])
    .filter(([, value]) => value !== undefined),
) as Record<string, string>

/** The environment of a machine that has nothing of the repository. */
const environment = () => ({
  PATH: process.env['PATH'],
  HOME: folder,
  npm_config_cache: join(folder, '.npm'),
  // The default of npm 12, which older versions accept as a setting.
  npm_config_allow_remote: 'none',
  HCTL_URL: api.url,
  ...networkSettings,
})

async function download(name: string): Promise<Buffer> {
  const response = await fetch(`${api.url}/downloads/${name}`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
  return Buffer.from(await response.arrayBuffer())
}

describe('/downloads/hctl.tgz', () => {
  test('npm installs it for all users of an empty prefix, and hctl calls the API', async () => {
    const prefix = join(folder, 'global')
    await run(
      'npm',
      [
        'install',
        '--global',
        '--prefix',
        prefix,
        '--omit=optional',
        `${api.url}/downloads/hctl.tgz`,
        '--allow-remote=root',
      ],
      { cwd: folder, env: environment() },
    )
    const { token } = await (await api.makeTenant()).makeKey()
    const hctl = join(prefix, 'bin', 'hctl')
    const { stdout } = await run(hctl, ['whoami', '--json'], {
      cwd: folder,
      env: { ...environment(), HCTL_TOKEN: token },
    })
    expect(JSON.parse(stdout)).toMatchObject({ user: { name: 'Ana' } })

    const installed = join(prefix, 'lib/node_modules/@hosting/cli')
    const files = readdirSync(installed).filter((name) => name !== 'node_modules')
    expect(files.toSorted()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'hctl.mjs', 'man', 'package.json'].toSorted(),
    )
    expect(readFileSync(join(prefix, 'share/man/man1/hctl.1'), 'utf8')).toMatch(/^\.TH HCTL 1/m)
  }, 120_000)
})

describe('/downloads/hctl.mjs', () => {
  test('runs without npm, and is smaller than 2 MB', async () => {
    const file = join(folder, 'hctl.mjs')
    writeFileSync(file, await download('hctl.mjs'))
    expect(statSync(file).size).toBeLessThan(2_000_000)
    const { token } = await (await api.makeTenant()).makeKey()
    const options = { cwd: folder, env: { ...environment(), HCTL_TOKEN: token } }
    const { stdout } = await run(process.execPath, [file, 'webhooks', 'list', '--json'], options)
    expect(JSON.parse(stdout)).toMatchObject({ items: [] })
    const { version } = JSON.parse(readFileSync(`${root}apps/cli/package.json`, 'utf8'))
    const printed = await run(process.execPath, [file, '--version'], options)
    expect(printed.stdout.trim()).toBe(version)
  })

  test('names the license of every package in it', async () => {
    const text = (await download('hctl.mjs')).toString()
    for (const name of [
      'commander',
      'openapi-fetch',
      '@clack/prompts',
      'open',
      'qr',
      '@michaelhomer/jqjs',
    ]) {
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, 'm'))
    }
  })
})

describe('/downloads/sdk.tgz', () => {
  test('npm installs it in an empty folder, and it calls the API and verifies', async () => {
    await run('npm', ['install', `${api.url}/downloads/sdk.tgz`, '--allow-remote=root'], {
      cwd: folder,
      env: environment(),
    })
    const files = readdirSync(join(folder, 'node_modules/@hosting/sdk'))
    expect(files).toEqual(expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist']))
    const program = join(folder, 'program.mjs')
    writeFileSync(
      program,
      `import { createClient, verifyWebhook } from '@hosting/sdk'
const client = createClient({ baseUrl: process.env.HCTL_URL, token: process.env.HCTL_TOKEN })
const { user } = await client.GET('/auth/me')
const refused = await verifyWebhook(Buffer.from('{}'), 't=1,v1=00', 'whsec_a').catch(({ reason }) => reason)
console.log(user.name, refused)`,
    )
    const { token } = await (await api.makeTenant()).makeKey()
    const { stdout } = await run(process.execPath, [program], {
      cwd: folder,
      env: { ...environment(), HCTL_TOKEN: token },
    })
    expect(stdout).toBe('Ana timestamp_out_of_tolerance\n')

    const common = join(folder, 'program.cjs')
    const imported = /import (\{.*\}) from '(.*)'/
    const code = readFileSync(program, 'utf8').replace(imported, "const $1 = require('$2')")
    writeFileSync(common, `(async () => {\n${code}\n})()`)
    const required = await run(process.execPath, [common], {
      cwd: folder,
      env: { ...environment(), HCTL_TOKEN: token },
    })
    expect(required.stdout).toBe(stdout)
  }, 120_000)
})

describe('/downloads/platform-sdk.tgz on the internal port', () => {
  test('npm installs it in an empty folder, and it calls the internal API', async () => {
    const place = mkdtempSync(join(folder, 'platform-'))
    writeFileSync(join(place, 'package.json'), '{}')
    await run(
      'npm',
      ['install', `${api.internalUrl}/downloads/platform-sdk.tgz`, '--allow-remote=root'],
      {
        cwd: place,
        env: environment(),
      },
    )
    const installed = join(place, 'node_modules/@hosting')
    expect(readdirSync(installed)).toEqual(['platform-sdk'])
    expect(readdirSync(join(installed, 'platform-sdk'))).toEqual(
      expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'connection', 'dist']),
    )
    const program = join(place, 'program.mjs')
    writeFileSync(
      program,
      `import { ApiProblem, createInternalClient } from '@hosting/platform-sdk'
const { INTERNAL_URL: baseUrl, SERVICE_TOKEN: token, TENANT_ID: id } = process.env
const { tenant } = await createInternalClient({ baseUrl, token }).GET('/tenants/{id}', { params: { path: { id } } })
const refused = await createInternalClient({ baseUrl, token: 'x' }).GET('/tenants').catch((error) => error)
console.log(tenant.name, refused instanceof ApiProblem, refused.code)`,
    )
    const { id } = await api.makeTenant()
    const { stdout } = await run(process.execPath, [program], {
      cwd: place,
      env: {
        ...environment(),
        INTERNAL_URL: api.internalUrl,
        SERVICE_TOKEN: serviceToken,
        TENANT_ID: id,
      },
    })
    expect(stdout).toBe('Acme true invalid_service_token\n')
  }, 120_000)

  test('customers get no client of the internal API', async () => {
    const response = await fetch(`${api.url}/downloads/platform-sdk.tgz`)
    expect(response.status).toBe(404)
    const archive = join(folder, 'customers.tgz')
    writeFileSync(archive, await download('sdk.tgz'))
    const { stdout } = await run('tar', ['--extract', '--to-stdout', '--file', archive], {
      maxBuffer: 2 ** 26,
    })
    expect(stdout).not.toMatch(/internal\/v1|InternalClient|service token/i)
  })
})

describe('sdk.tgz', () => {
  test('contains only what the sources compile to, whatever else is in dist', async () => {
    const dist = `${root}packages/sdk/dist`
    const stale = ['removed.js', 'removed.d.ts', 'note.txt'].map((name) => `${dist}/${name}`)
    const staged = join(folder, 'staged')
    try {
      for (const file of stale) writeFileSync(file, 'export {}')
      stageSdk('sdk', staged)
    } finally {
      for (const file of stale) rmSync(file, { force: true })
    }
    const files = globSync('**/*.*', { cwd: staged })
    const sources = files.filter((file) => /^src\/.*\.ts$/.test(file))
    const expected = sources.flatMap((file) => {
      const compiled = file.replace('src/', 'dist/').replace(/\.ts$/, '')
      const inCommonJs = compiled.replace('dist/', 'dist/cjs/')
      return [
        ...['.js', '.js.map', '.d.ts', '.d.ts.map'].map((extension) => compiled + extension),
        ...['.js', '.d.ts'].map((extension) => inCommonJs + extension),
      ]
    })
    expected.push('dist/cjs/package.json')
    expect(sources.length).toBeGreaterThan(20)
    expect(files.filter((file) => file.startsWith('dist/')).toSorted()).toEqual(expected.toSorted())
  })
})

describe('hctl(1)', () => {
  test('names the version of package.json', () => {
    const { version } = JSON.parse(readFileSync(`${root}apps/cli/package.json`, 'utf8'))
    const page = readFileSync(`${root}apps/cli/man/hctl.1`, 'utf8')
    expect(/^\.TH HCTL 1 "" "hctl ([^"]+)"/m.exec(page)?.[1]).toBe(version)
  })
})

describe('the verifiers', () => {
  test.each([
    ['verify_webhook.py', 'verify.py'],
    ['verify_webhook.php', 'verify.php'],
    ['verify_webhook.go', 'verify.go'],
  ])('/downloads/%s is the tested code of the guide', async (name, source) => {
    expect((await download(name)).toString()).toBe(
      readFileSync(`${root}docs/webhooks/${source}`, 'utf8'),
    )
  })
})
