import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
import { existsSync } from 'node:fs'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
} from 'playwright-core'
import { installDebianPackage } from '../../tools/local-stack/debian-package.ts'
import { needing } from './needing.ts'
import { patienceMs } from './patience.ts'

/** A browser that the tests of a file share. */
export interface TestBrowser {
  /** Opens an empty profile. It is closed after the test that opened it, or after the file. */
  open(options?: BrowserContextOptions): Promise<BrowserContext>
}

/** Has the same engine as the others and uses less of the processor. */
const headlessShell = '/usr/bin/chromium-headless-shell'

const places = [
  headlessShell,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages live for less than a second, and compiling their scripts with optimizations takes longer than it saves.
  '--js-flags=--no-opt --no-maglev',
]

/** Starts Chromium for a test file and stops it afterwards. */
export function useBrowser(): TestBrowser {
  let browser: Browser
  let kept: readonly BrowserContext[]
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath!, args: flags })
  })
  beforeEach(() => {
    kept = browser.contexts()
  })
  // Live pages would use the processor until the end of the file.
  afterEach(async () => {
    const opened = browser.contexts().filter((context) => !kept.includes(context))
    await Promise.all(opened.map((context) => context.close()))
  })
  afterAll(() => browser.close())
  return {
    async open(options) {
      // Transitions only take time.
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
      context.setDefaultTimeout(patienceMs)
      return context
    },
  }
}

/** A `describe` of tests that need a browser. */
export const describeInBrowser = (name: string, run: () => void): void =>
  needing('Chromium', browserPath !== undefined).describe(name, run)

async function findBrowser(): Promise<string | undefined> {
  const chosen = process.env['CHROMIUM_PATH']
  if (chosen !== undefined) return chosen
  const find = () => places.find((place) => existsSync(place))
  // CI runs all tests of the panel, so it installs the headless shell even if it has another browser.
  if (process.env['CI'] === 'true' ? !existsSync(headlessShell) : !find()) {
    await installDebianPackage('chromium-headless-shell')
  }
  if (find() === undefined) await installDebianPackage('chromium')
  return find()
}

const browserPath = await findBrowser()
