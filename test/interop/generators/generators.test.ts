import { afterAll, beforeAll, expect } from '@jest/globals'
import { cp, writeFile } from 'node:fs/promises'
import { useApi } from '../../support/api.ts'
import { startFutureProxy, type FutureProxy } from '../support/future-proxy.ts'
import { useResults } from '../support/results.ts'
import { installNpm, runProgram, toolchains } from '../support/toolchain.ts'
import { compile } from './client-languages.ts'
import { generateClient } from './generate-client.ts'
import { generators, type Generator } from './generators.ts'

const api = useApi()
const webhookUrl = 'https://prod-12.westeurope.logic.azure.com:443/x?sp=%2Ftriggers&q=a+b'
const programs = new URL('clients/', import.meta.url).pathname

let later: FutureProxy
beforeAll(async () => {
  later = await startFutureProxy(api.url)
})
afterAll(() => later.close())

/** The results of the calls, as every client reads them. */
const results = {
  accounts: 'all',
  url: webhookUrl,
  disabled_reason: null,
  replayed: [true, null, 'true'],
  next: true,
  absent: ['first', false],
  removed: null,
  key: 'CI',
  dead: 0,
  problem: [422, 'webhook_url_not_allowed', '/url'],
  // From a later release, with members and values that do not exist yet.
  later: ['hybrid', 'recovering', 'from_the_future'],
}

const record = useResults('generators', Object.values(generators))

for (const [key, generator] of Object.entries<Generator>(generators)) {
  const { name, language, packages } = generator
  toolchains[packages].concurrent(`a client of ${name} compiles and makes every call`, async () => {
    const document = await read(documents().public)
    const client = await generateClient(generator, key, document)
    await cp(`${programs}${key}`, client.folder, { recursive: true })
    const main = await compile[language](client)
    const { token } = await (await api.makeTenant()).makeKey()
    const environment = {
      HOSTING_URL: api.url,
      HOSTING_LATER_URL: later.url,
      HOSTING_TOKEN: token,
      HOSTING_WEBHOOK_URL: webhookUrl,
    }
    expect(JSON.parse(await runProgram(main, { environment }))).toEqual(results)
    record(generator, { compiles: 'yes', calls: 'yes' })
  })

  if (!generator.internal) continue
  toolchains[packages].concurrent(`a client of ${name} for the internal API compiles`, async () => {
    const document = await read(documents().internal)
    await compile[language](await generateClient(generator, `${key}-internal`, document))
  })
}

toolchains.npm.concurrent('redocly finds no error in a document', async () => {
  const folder = await installNpm('@redocly/cli@2.77.0')
  const redocly = [process.execPath, `${folder}node_modules/@redocly/cli/bin/cli.js`] as const
  for (const [name, url] of Object.entries(documents())) {
    const file = `${folder}${name}.json`
    await writeFile(file, await read(url))
    await runProgram([...redocly, 'lint', '--extends', 'recommended', file], { cwd: folder })
  }
})

/** The addresses of the OpenAPI documents. */
const documents = () => ({
  public: `${api.url}/api/v1/openapi.json`,
  internal: `${api.internalUrl}/internal/v1/openapi.json`,
})

async function read(url: string): Promise<string> {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  return response.text()
}
