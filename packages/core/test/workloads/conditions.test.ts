import { checkConditions, checkIssuer, configurationUrlOf } from '@hosting/core/workloads'
import { describe, expect, test } from '@jest/globals'

const github = 'https://token.actions.githubusercontent.com'
const gitlab = 'https://gitlab.com'
const pointersOf = (issuer: string, conditions: Record<string, string | string[]>) =>
  checkConditions(issuer, conditions).map(({ pointer }) => pointer)

describe('checkConditions', () => {
  test.each([
    [github, { repository_id: '12' }],
    [github, { repository_owner_id: ['12', '13'], ref: 'refs/heads/main' }],
    [gitlab, { project_id: '12' }],
    [gitlab, { namespace_id: '12' }],
    ['https://issuer.example', { sub: 'system:s*' }],
    ['https://issuer.example', { sub: '🚀🚀🚀🚀🚀🚀🚀🚀*' }],
    [gitlab, { project_id: '12', ref: ['v*', 'rel-*'] }],
    [github, { '/repository_id': '12' }],
    [`${github}/octo-enterprise`, { repository_owner_id: '12' }],
    ['https://token.actions.acme.ghe.com', { repository_id: '12' }],
    ['https://token.actions.githubusercontent.com.example', { repository: 'acme/site' }],
    [github, { sub: 'repo:octocat@123456/my-repo@456789:ref:refs/heads/main' }],
    [github, { sub: 'repo:octocat@123456/my-repo@456789:*' }],
    [github, { sub: ['repository_id:12:ref:refs/heads/main', 'repository_owner_id:7'] }],
  ])('allows %s with %j', (issuer, conditions) => {
    expect(pointersOf(issuer, conditions as Record<string, string>)).toEqual([])
  })

  test.each<[string, Record<string, string | string[]>, string[]]>([
    [github, { repository: 'acme/site' }, ['']],
    [github, { repository_id: '123456789*' }, ['']],
    [github, { repository_id: ['12', '123456789*'] }, ['']],
    [gitlab, { repository_id: '12' }, ['']],
    [`${gitlab}/`, { project_path: 'acme/site' }, ['']],
    [`${github}/`, { repository: 'acme/site' }, ['']],
    [`${github}/octo-enterprise`, { repository: 'acme/site' }, ['']],
    ['https://TOKEN.actions.acme.ghe.com:443', { repository: 'acme/site' }, ['']],
    [github, { sub: 'repo:octocat/my-repo:ref:refs/heads/main' }, ['']],
    [github, { sub: ['repo:o@1/r@2:ref:refs/heads/main', 'repo:o/r:ref:refs/heads/main'] }, ['']],
    [github, { sub: 'repository_id:123456*' }, ['']],
    [github, { sub: 'repo:octocat@12*' }, ['']],
    [github, { sub: 'environment:x:repository_id:12' }, ['']],
    [gitlab, { sub: 'repository_id:12:ref:main' }, ['']],
    ['https://issuer.example', { '/sub': 'short7c*' }, ['/~1sub']],
    ['https://issuer.example', { ref: '*' }, ['/ref']],
    ['https://issuer.example', { '/a~2b': 'x' }, ['/~1a~02b']],
    ['https://issuer.example', { '/a~': 'x' }, ['/~1a~0']],
    [gitlab, { project_path: 'acme/site' }, ['']],
    ['https://issuer.example', { sub: '*' }, ['/sub']],
    ['https://issuer.example', { sub: 'short7c*' }, ['/sub']],
    ['https://issuer.example', { sub: '🚀🚀🚀🚀*' }, ['/sub']],
    ['https://issuer.example', { sub: 'in the * middle' }, ['/sub']],
    ['https://issuer.example', { sub: 'two at the end**' }, ['/sub']],
    ['https://issuer.example', { ['__proto__']: 'x', sub: 'y' }, ['/__proto__']],
    ['https://issuer.example', { 'a/b~c': ['fine', '*'] }, ['/a~1b~0c/1']],
  ])('refuses for %s %j', (issuer, conditions, pointers) => {
    expect(pointersOf(issuer, conditions)).toEqual(pointers)
  })
})

test.each([
  'https://issuer.example',
  'https://issuer.example/',
  'https://issuer.example:8443/realms/ci',
  `https://issuer.example/${'a'.repeat(232)}`,
])('%s may be an issuer', (text) => {
  expect(checkIssuer(text, { allowsHttp: false })).toBeUndefined()
})

test.each([
  'http://issuer.example',
  'issuer.example',
  'https://',
  'https:/issuer.example',
  'https://user@issuer.example',
  'https://user:secret@issuer.example',
  'https://issuer.example?a=b',
  'https://issuer.example?',
  'https://issuer.example#',
  'ftp://issuer.example',
  'https://issuer.example\n',
  ' https://issuer.example',
  'https://issuer.ex\tample',
  'https://issuer.example/\u200b',
  'https://issuer.example\\ci',
  `https://issuer.example/${'a'.repeat(233)}`,
])('%s is refused as an issuer', (text) => {
  expect(checkIssuer(text, { allowsHttp: false })).toEqual(expect.any(String))
})

test('http is allowed for issuers if private networks are allowed', () => {
  expect(checkIssuer('http://127.0.0.1:8080', { allowsHttp: true })).toBeUndefined()
})

test.each(['https://issuer.example/ci', 'https://issuer.example/ci/'])(
  'the configuration of %s is below its path',
  (issuer) => {
    expect(configurationUrlOf(issuer)).toBe(
      'https://issuer.example/ci/.well-known/openid-configuration',
    )
  },
)
