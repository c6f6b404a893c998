import { publicRoutes } from '@hosting/api'
import { problemCatalog, type ProblemCode } from '@hosting/core'
import { describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { useApi } from '../../../test/support/api.ts'

const api = useApi()

async function open(path: string) {
  const { status, headers, text } = await request(api.url).get(path)
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  return { headers, text }
}

const codes = Object.keys(problemCatalog) as ProblemCode[]

/** Text as it appears in HTML. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

describe('every page', () => {
  test.each(['/docs', '/problems', '/problems/not_found'])(
    '%s allows only its own style sheet and icon',
    async (path) => {
      const { headers, text } = await open(path)
      const policy = new Map(
        String(headers['content-security-policy'])
          .split('; ')
          .map((directive): [string, string] => {
            const [name, ...sources] = directive.split(' ')
            return [name!, sources.join(' ')]
          }),
      )
      expect(policy.get('default-src')).toBe("'none'")
      expect(policy.get('base-uri')).toBe("'none'")
      expect(policy.get('form-action')).toBe("'none'")
      expect(policy.get('frame-ancestors')).toBe("'none'")
      expect(policy.has('script-src')).toBe(false)
      expect(headers['x-content-type-options']).toBe('nosniff')

      expect(policy.get('style-src')).toBe("'self'")
      expect(policy.get('img-src')).toBe("'self'")
      expect(text).not.toMatch(/<script|<style|\son\w+=|\sstyle=|<img|https?:\/\//i)
      const links = [...text.matchAll(/<link rel="(\w+)" href="([^"]+)"/g)]
      expect(links.map(([, rel, href]) => [rel, href!.split('.').at(-1)])).toEqual([
        ['stylesheet', 'css'],
        ['icon', 'svg'],
      ])
      for (const [, , href] of links) {
        const asset = await request(api.url).get(href!)
        expect(asset.status).toBe(200)
        expect(asset.headers['cache-control']).toContain('immutable')
      }
    },
  )

  test.each(['/docs', '/problems', '/problems/not_found'])(
    '%s has one title, one heading, a language, and no broken links',
    async (path) => {
      const { text } = await open(path)
      expect(text).toMatch(/^<!doctype html>/)
      expect(text).toContain('<html lang="en">')
      expect(text.match(/<title>[^<]+<\/title>/g)).toHaveLength(1)
      expect(text.match(/<h1>[^<]+<\/h1>/g)).toHaveLength(1)
      const targets = new Set([...text.matchAll(/href="([^"]+)"/g)].map((match) => match[1]!))
      const ids = new Set([...text.matchAll(/id="([^"]+)"/g)].map((match) => match[1]!))
      for (const target of targets) {
        const found = target.startsWith('#')
          ? ids.has(target.slice(1))
          : (await request(api.url).get(target)).status === 200
        expect([target, found]).toEqual([target, true])
      }
    },
  )
})

describe('/problems', () => {
  test.each(codes)('/problems/%s explains the code', async (code) => {
    const { text } = await open(`/problems/${code}`)
    const { status, title } = problemCatalog[code]
    expect(text).toContain(`<h1>${escaped(title)}</h1>`)
    expect(text).toContain(`<code>${code}</code>`)
    expect(text).toContain(`HTTP ${status}`)
  })

  test('lists every code', async () => {
    const { text } = await open('/problems')
    for (const code of codes) expect(text).toContain(`href="/problems/${code}"`)
  })

  test('404 not_found as a problem document for an unknown code', async () => {
    for (const code of ['nothing', 'constructor', '<script>', 'NOT_FOUND']) {
      const { status, body } = await request(api.url).get(`/problems/${encodeURIComponent(code)}`)
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' })
    }
  })

  test('escapes HTML in texts', async () => {
    const { text } = await open('/problems/authentication_required')
    expect(text).toContain('<code>Authorization: Bearer &lt;API_KEY></code>')
    expect(text).not.toContain('<API_KEY>')
  })
})

describe('/docs', () => {
  test('lists every route with its method, path and scope', async () => {
    const { text } = await open('/docs')
    for (const { operationId, path } of publicRoutes) {
      expect(text).toContain(`id="${operationId}"`)
      expect(text).toContain(`/api/v1${path.replace(/:(\w+)/g, '{$1}')}`)
    }
    expect(text).toContain('<code>webhooks:write</code>')
  })

  test('escapes HTML in texts', async () => {
    const { text } = await open('/docs')
    expect(text).toContain('<code>&lt;resource>.*</code>')
    expect(text).not.toContain('<resource>')
  })
})
