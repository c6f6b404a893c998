// `node tools/check-package.ts`, after `npm run build`: checks that the downloads of the SDKs and of hctl match their
// package.json, and the SDKs for Node and for every module resolution mode of TypeScript.
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { packNpm } from '../apps/api/src/docs/downloads/packages.ts'
import { root } from './run.ts'

const pack = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(packNpm(`${root}apps/api/dist/site/packages/${name}`, (text) => text))

const sdk = pack('sdk')
const platformSdk = pack('platform-sdk')
const hctl = pack('hctl')
const errors = [
  ...(await findPublishErrors(sdk)),
  ...(await findPublishErrors(platformSdk)),
  ...(await findPublishErrors(hctl)),
  ...(await findTypeErrors(sdk)),
  ...(await findTypeErrors(platformSdk)),
]
if (errors.length > 0) process.stderr.write(`${errors.join('\n')}\n`)
process.exitCode = errors.length > 0 ? 1 : 0

async function findPublishErrors(tarball: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const { messages, pkg } = await publint({
    strict: true,
    pack: { tarball: tarball.buffer },
  })
  return messages.map((message) => formatMessage(message, pkg) ?? message.code)
}

/** Checks the package in CommonJS and ES modules, for node10, node16 and bundlers. */
async function findTypeErrors(tarball: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(tarball))
  if (!result.types) return ['The package has no types.']
  return result.problems.map((problem) => JSON.stringify(problem))
}
