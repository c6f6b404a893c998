import { createRenamer, defaultNames } from '@hosting/core/branding'
import { describe, expect, test } from '@jest/globals'

const acme = {
  brandName: 'Acme Cloud',
  brandCommand: 'acmectl',
  keyPrefix: 'acme',
  webhookHeaderPrefix: 'Acme-Hosting',
  webhookUserAgent: 'Acme/1',
  publicUrl: 'https://control.acme.example',
}

describe('a document gets the configured names', () => {
  const rename = createRenamer(acme)

  test.each([
    ['the Hosting Control API.', 'the Acme Cloud API.'],
    ['User-Agent: Service-Webhooks/1', 'User-Agent: Acme/1'],
    ['`Service-Signature`, `Service-*`', '`Acme-Hosting-Signature`, `Acme-Hosting-*`'],
    ["headers['service-delivery']", "headers['acme-hosting-delivery']"],
    ["$_SERVER['HTTP_SERVICE_SIGNATURE']", "$_SERVER['HTTP_ACME_HOSTING_SIGNATURE']"],
    ['export HCTL_URL=https://panel.example.com', 'export HCTL_URL=https://control.acme.example'],
    [
      'npx hctl login; hctl.mjs, man/hctl.1, ~/.config/hctl',
      'npx acmectl login; acmectl.mjs, man/acmectl.1, ~/.config/acmectl',
    ],
    ['#compdef hctl, compdef _hctl hctl', '#compdef acmectl, compdef _acmectl acmectl'],
    ['from \'@hosting/sdk\' and "@hosting/cli"', 'from \'@acmectl/sdk\' and "@acmectl/cli"'],
    [
      'from hosting_sdk import; hosting_sdk-1.0.0-py3',
      'from acmectl_sdk import; acmectl_sdk-1.0.0-py3',
    ],
    ['Name: hosting-sdk', 'Name: acmectl-sdk'],
    ['Bearer hctl_… or "hctl_[a-z2-7]{12}"', 'Bearer acme_… or "acme_[a-z2-7]{12}"'],
  ])('%s', (text, renamed) => expect(rename(text)).toBe(renamed))

  test.each([
    'HCTL_TOKEN and __hctl_complete',
    '@hosting/platform-sdk, web-hosting and hosting_control',
    'a service-wide limit, and Service-level agreements',
    'webhook-signature',
  ])('but keeps %s', (text) => expect(rename(text)).toBe(text))
})

test('a configured name may contain a default one', () => {
  const rename = createRenamer({ ...acme, brandName: 'Hosting Control by Acme' })
  expect(rename('Hosting Control')).toBe('Hosting Control by Acme')
})

test('names are escaped for the format, and may contain replacement patterns such as $&', () => {
  const rename = createRenamer({ ...acme, brandName: 'A & $1' }, (name) =>
    name.replaceAll('&', '&amp;'),
  )
  expect(rename('Hosting Control & more')).toBe('A &amp; $1 & more')
})

test('the default names change nothing', () => {
  const text =
    'Hosting Control hctl_ hctl @hosting/sdk hosting_sdk Service-Event service-event HTTP_SERVICE_SIGNATURE'
  expect(createRenamer(defaultNames)(text)).toBe(text)
})
