import { savedFilterNameLengthMax, savedFiltersMax } from '@hosting/core/lists'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { describeInBrowser, useBrowser } from '../support/browser.ts'
import { errorsOnScreens } from '../support/screens.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { holdCookie, openPage } from './panel-stack.ts'
import { visitorOf, type Visitor } from './visitor.ts'

const api = useApi()

const makePerson = async (tenant?: Awaited<ReturnType<typeof api.makeTenant>>) => {
  const person = await makeSignedIn(api, tenant ?? (await api.makeTenant()))
  return { ...person, visitor: visitorOf(api, person) }
}

const save = (visitor: Visitor, url: string, name: string) =>
  visitor.submit(url, { do: 'save-filter', name })

/** The saved filters that a page shows: names and URLs. */
const savedOn = ({ text }: { text: string }): [name: string, url: string][] => {
  const [, list = ''] = /<ul aria-label="Saved filters">(.*?)<\/ul>/s.exec(text) ?? []
  return [...list.matchAll(/<a href="([^"]*)"[^>]*><bdi>([^<]*)<\/bdi>/g)].map((match) => [
    match[2]!,
    match[1]!.replaceAll('&amp;', '&'),
  ])
}

describe('saved filters', () => {
  test.each([
    ['/deliveries', 'status=dead&error_class=timeout'],
    ['/events', 'types=site.*&object_id=x'],
    ['/audit', 'action=api_key.create&outcome=refused'],
  ])(
    '%s saves what is set, without times and position, and shows it by name',
    async (path, query) => {
      const { visitor } = await makePerson()
      expect(savedOn(await visitor.get(path))).toEqual([])
      const url = `${path}?${query}&since=2026-11-20T00%3A00%3A00.000Z`
      const page = await save(visitor, url, 'Nightly check')
      expect(page.text).toContain('Filter saved.')
      await save(visitor, `${path}?${query.split('&')[0]}`, 'A <b>bold</b> name')
      const saved = savedOn(await visitor.get(path))
      expect(saved.map(([name]) => name)).toEqual(['A &lt;b>bold&lt;/b> name', 'Nightly check'])
      const opened = new URL(saved[1]![1], api.url)
      expect(opened.pathname).toBe(path)
      expect(opened.search).toBe(`?${new URLSearchParams(query)}`)
      expect(await visitor.get(saved[1]![1])).toMatchObject({ status: 200 })
    },
  )

  test('a name that exists is replaced, and a filter can be deleted', async () => {
    const { visitor } = await makePerson()
    await save(visitor, '/deliveries?status=dead', 'Lost')
    const page = await save(visitor, '/deliveries?status=queued', 'Lost')
    expect(savedOn(page)).toEqual([['Lost', '/deliveries?status=queued']])
    const [, id] = /name="filter_id" value="([^"]+)"/.exec(page.text)!
    const fields = { do: 'delete-filter', filter_id: id! }
    expect(savedOn(await visitor.submit('/events', fields))).toEqual([])
    expect(savedOn(await visitor.get('/deliveries'))).toHaveLength(1)
    const left = await visitor.submit('/deliveries?status=dead', fields)
    expect(left.text).toContain('Saved filter deleted.')
    expect(left.text).toContain('<option value="dead" selected')
    expect(savedOn(left)).toEqual([])
  })

  test('a person sees and deletes only their own', async () => {
    const tenant = await api.makeTenant()
    const [one, other] = [await makePerson(tenant), await makePerson(tenant)]
    const page = await save(one.visitor, '/deliveries?status=dead', 'Lost')
    const [, id] = /name="filter_id" value="([^"]+)"/.exec(page.text)!
    expect(savedOn(await other.visitor.get('/deliveries'))).toEqual([])
    await other.visitor.submit('/deliveries', { do: 'delete-filter', filter_id: id! })
    await other.visitor.submit('/deliveries', { do: 'delete-filter', filter_id: 'no id' })
    expect(savedOn(await one.visitor.get('/deliveries'))).toHaveLength(1)
  })

  test('whoever impersonates a person sees and changes only their own', async () => {
    const tenant = await api.makeTenant()
    const [admin, person] = [await makePerson(tenant), await makePerson(tenant)]
    await save(person.visitor, '/deliveries?status=dead', 'Of the person')
    await save(admin.visitor, '/deliveries?status=dead', 'Of the admin')
    const body = { user_id: person.id }
    const { headers } = await callWith(api, admin)('post', '/auth/impersonation', { body })
    const [, cookie] = /^session=([^;]+)/.exec(headers['set-cookie']![0]!)!
    admin.visitor.hold('session', cookie!)
    const page = await admin.visitor.get('/deliveries')
    expect(page.text).toContain('you are impersonating')
    expect(savedOn(page).map(([name]) => name)).toEqual(['Of the admin'])
    const [, csrfToken] = /name="csrf_token" value="([^"]+)"/.exec(page.text)!
    const fields = { do: 'save-filter', name: 'Of the admin', csrf_token: csrfToken! }
    const saved = await admin.visitor.submit('/deliveries?status=queued', fields)
    expect(savedOn(saved)).toEqual([['Of the admin', '/deliveries?status=queued']])
    expect(savedOn(await person.visitor.get('/deliveries'))).toEqual([
      ['Of the person', '/deliveries?status=dead'],
    ])
  })

  test('nothing is saved without a filter, without a name, or with a name that is too long', async () => {
    const { visitor } = await makePerson()
    const refusals = [
      ['/deliveries?since=2026-11-20T00:00', 'Name', 'Name needs a filter that is not a time.'],
      ['/deliveries?status=dead', ' ', 'Name is required.'],
      [
        '/deliveries?status=dead',
        'x'.repeat(savedFilterNameLengthMax + 1),
        'at most 60 characters',
      ],
      ['/deliveries?status=dead', 'a\u0000b', 'Name'],
      [`/deliveries?q=${'x'.repeat(2_001)}`, 'Name', 'too long'],
    ] as const
    for (const [url, name, message] of refusals) {
      const page = await save(visitor, url, name)
      expect(page.text).toContain(message)
      expect(page.text).not.toContain('Filter saved.')
      expect(savedOn(page)).toEqual([])
    }
  })

  test('a person saves at most 20 for a list, also at the same time', async () => {
    const { id, visitor } = await makePerson()
    for (let index = 1; index < savedFiltersMax; index++) {
      await save(visitor, '/deliveries?status=dead', `Filter ${index}`)
    }
    const names = ['First', 'Second', 'Third', 'Fourth']
    await Promise.all(names.map((name) => save(visitor, '/deliveries?status=dead', name)))
    const saved = savedOn(await visitor.get('/deliveries'))
    expect(saved).toHaveLength(savedFiltersMax)
    const refused = await save(visitor, '/deliveries?status=dead', 'One more')
    expect(refused.text).toContain('You have saved 20 filters for this list. Delete one first.')
    const [name] = saved[0]!
    expect((await save(visitor, '/deliveries?status=queued', name)).text).toContain('Filter saved.')
    expect((await save(visitor, '/events?types=site.*', 'Sites')).text).toContain('Filter saved.')
    expect(await countOf(id)).toBe(savedFiltersMax + 1)
  })

  test('a person who is deleted keeps none', async () => {
    const { id, visitor } = await makePerson()
    await save(visitor, '/deliveries?status=dead', 'Lost')
    expect(await countOf(id)).toBe(1)
    await api.callInternal('delete', `/users/${id}`)
    expect(await countOf(id)).toBe(0)
  })

  const countOf = (userId: string): Promise<number> =>
    api.database.prisma.savedFilter.count({ where: { userId } })
})

describeInBrowser('saved filters in Chromium', () => {
  const browser = useBrowser()

  test.each([true, false])(
    'are saved, chosen and deleted (scripts: %s)',
    async (javaScriptEnabled) => {
      const person = await makePerson()
      const context = await browser.open({ javaScriptEnabled })
      await holdCookie({ api }, context, person.cookie)
      const page = await openPage(context)
      await page.goto(`${api.url}/audit?outcome=refused`)
      const menu = page.locator('.saved-filters')
      const opener = page.locator('summary', { hasText: /Saved|Refusals/ })
      await opener.click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Name is required.').waitFor()
      expect(await menu.isVisible()).toBe(true)
      expect(await errorsOnScreens(page, `saved-filters-refused`)).toEqual([])
      await page.getByLabel('Save these filters as').fill('Refusals')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Filter saved.').waitFor()
      await page.goto(`${api.url}/audit`)
      await opener.click()
      expect(await errorsOnScreens(page, `saved-filters`)).toEqual([])
      await menu.getByRole('link', { name: 'Refusals' }).click()
      await page.waitForURL(`${api.url}/audit?outcome=refused`)
      expect(await opener.textContent()).toBe('Refusals')
      await opener.click()
      await page.getByRole('button', { name: 'Delete Refusals' }).click()
      await page.getByText('Saved filter deleted.').waitFor()
      expect(new URL(page.url()).search).toBe('?outcome=refused')
      expect(page.complaints).toEqual([])
      await context.close()
    },
  )
})
