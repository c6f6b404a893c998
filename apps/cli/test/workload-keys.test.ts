import { describe, expect, test } from '@jest/globals'
import { documentOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const create = ['keys', 'create', '--name', 'ci', '--scope', 'sites:read']
const hctl = (...words: string[]) => user.hctl([...create, ...words])
const workloadOf = async (...words: string[]) =>
  documentOf(await hctl(...words, '--json')).key.workload

describe('hctl keys create, for workloads', () => {
  test('GitHub: ids, branches and an environment become conditions', async () => {
    expect(
      await workloadOf(
        '--github-repository',
        '1234',
        '--github-owner',
        '56',
        '--branch',
        'main,release/*',
        '--environment',
        'live',
        '--condition',
        'event_name=push',
        '--token-lifetime',
        '5m',
      ),
    ).toMatchObject({
      issuer: 'https://token.actions.githubusercontent.com',
      conditions: {
        repository_id: '1234',
        repository_owner_id: '56',
        ref: ['refs/heads/main', 'refs/heads/release/*'],
        environment: 'live',
        event_name: 'push',
      },
      token_lifetime_seconds: 300,
      audience: expect.stringMatching(/\/workloads\/[a-z2-7]{12}$/),
    })
  })

  test('GitLab: a branch is a name and the type of the reference', async () => {
    expect(await workloadOf('--gitlab-project', '20', '--branch', 'main')).toMatchObject({
      issuer: 'https://gitlab.com',
      conditions: { project_id: '20', ref: 'main', ref_type: 'branch' },
    })
    expect(
      await workloadOf('--gitlab-namespace', '72', '--issuer', 'https://gitlab.example.com'),
    ).toMatchObject({ issuer: 'https://gitlab.example.com', conditions: { namespace_id: '72' } })
  })

  test('any issuer: conditions with several values, which may contain = and commas', async () => {
    expect(
      await workloadOf(
        '--issuer',
        'https://issuer.example',
        '--condition',
        'sub=a=b,c',
        '--condition',
        'sub=other',
        '--condition',
        'tier=gold',
      ),
    ).toMatchObject({ conditions: { sub: ['a=b,c', 'other'], tier: 'gold' } })
  })

  test('the key is an organization key, and the output says how to get a token', async () => {
    const { code, stdout } = await hctl('--github-repository', '1234')
    expect(code).toBe(0)
    expect(stdout).toMatch(/kind +Organization/)
    expect(stdout).toMatch(/audience +http\S+\/workloads\/([a-z2-7]{12})\n/)
    expect(stdout).toMatch(/hctl token exchange --key [a-z2-7]{12}\n$/)
    expect(stdout).not.toContain('(lost)')
  })

  test.each<[string, string[], string]>([
    ['a name instead of an id', ['--github-repository', 'acme/site'], 'gh api repos/'],
    ['a name of a GitLab project', ['--gitlab-project', 'acme/site'], 'shows its id'],
    ['two services', ['--github-repository', '1', '--gitlab-project', '2'], 'cannot be combined'],
    ['a branch without a service', ['--branch', 'main'], 'needs --github-repository'],
    [
      'a branch of another issuer',
      ['--issuer', 'https://issuer.example', '--branch', 'main'],
      'Use --condition',
    ],
    [
      'a condition without a value',
      ['--issuer', 'https://issuer.example', '--condition', 'sub'],
      'claim=value',
    ],
  ])('exits with 2 for %s', async (_, words, message) => {
    const refused = await hctl(...words)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain(message)
  })

  test('exits with 1 if no id is named, and says which option is missing', async () => {
    const refused = await hctl('--issuer', 'https://gitlab.com', '--condition', 'ref=main')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('project_id or namespace_id')
  })

  test('exits with 1 for a personal key', async () => {
    expect((await hctl('--github-repository', '1', '--kind', 'personal')).code).toBe(1)
  })
})
