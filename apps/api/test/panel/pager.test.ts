import { expect, test } from '@jest/globals'
import { h } from 'preact'
import { render } from 'preact-render-to-string'
import { Pager } from '../../src/panel/view/pager.tsx'

/** The links of the page at a URL, by their names. */
function linksOf(url: string, next: string | null): Readonly<Record<string, string>> {
  const html = render(h(Pager, { url, next })).replaceAll('&amp;', '&')
  return Object.fromEntries(
    [...html.matchAll(/href="([^"]*)"[^>]*>(\w+)</g)].map(([, href, name]) => [name!, href!]),
  )
}

test('a list of one page has no links', () => {
  expect(linksOf('/keys?q=a', null)).toEqual({})
})

test('Newer leads back through the pages to the first, and keeps the filters of the list', () => {
  let url = '/keys?q=a'
  const visited = [url]
  for (const next of ['one', 'two', 'three']) {
    url = linksOf(url, next)['Older']!
    visited.push(url)
  }
  expect(new URL(url, 'http://panel').searchParams.get('cursor')).toBe('three')
  for (const before of visited.slice(0, -1).toReversed()) {
    const links = linksOf(url, null)
    expect(links).toEqual({ Newest: '/keys?q=a', Newer: before })
    url = before
  }
})

test('the URL stays short after many pages, and Newest still leads to the first one', () => {
  let url = '/keys'
  for (let number = 0; number < 200; number++) url = linksOf(url, `cursor${number}`)['Older']!
  expect(url.length).toBeLessThan(500)
  for (let back = 0; back < 29; back++) url = linksOf(url, null)['Newer']!
  expect(linksOf(url, null)).toEqual({ Newest: '/keys' })
})
