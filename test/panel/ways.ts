import type { Locator, Page } from 'playwright-core'

/** Opens a page in one of its states. */
export type Way = (page: Page) => Promise<void>

/** Pages that one browser shows, one after the other. */
export interface ScreenGroup {
  /** The cookie of the person who opens them; undefined if nobody is signed in. */
  readonly cookie: string | undefined
  /** How to open each page in each of its states, by name. */
  readonly screens: Readonly<Record<string, Way>>
}

/** Ways to open the pages of a panel. */
export type Ways = ReturnType<typeof waysIn>

/** Ways to open the pages of the panel at a URL. */
export const waysIn = (url: string) => ({
  open:
    (path: string): Way =>
    async (page) =>
      void (await page.goto(url + path)),
  submit:
    (path: string, button: string, fields: Readonly<Record<string, string>> = {}): Way =>
    async (page) => {
      await page.goto(url + path)
      await fill(page, fields)
      await press(page, button)
    },
})

/** Fills in fields by their labels. */
export async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    const field = page.getByLabel(label, { exact: true })
    if (!(await field.isVisible())) await unfold(page, field)
    await field.fill(value)
  }
}

/** Opens the group of folded fields that contains a field. */
export const unfold = (page: Page, field: Locator): Promise<void> =>
  page.locator('details', { has: field }).locator('summary').click()

/** Presses a button that leads to a page. */
export const press = (page: Page, name: string): Promise<void> =>
  follow(page.getByRole('button', { name, exact: true }))

/** Clicks what leads to a page, and waits for the whole page: a click alone only waits for its start. */
export async function follow(link: Locator): Promise<void> {
  await link.click()
  await link.page().waitForLoadState()
}
