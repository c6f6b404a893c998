import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { readFunctions } from '../functions.ts'
import { migrate } from '../migrations.ts'
import { root } from '../run.ts'
import { query, withDatabase } from './databases.ts'

/**
 * Runs a test with a database as it was before a migration.
 *
 * @param first - the first migration that it does not have.
 * @param uses - tells by their text which functions that migration replaces, or use what it adds.
 */
export async function withFormerDatabase(
  first: string,
  uses: RegExp,
  work: (url: string) => Promise<void>,
): Promise<void> {
  await withDatabase(async (url) => {
    const folder = makeTemporaryFolder()
    cpSync(join(root, 'prisma/migrations'), join(folder, 'migrations'), {
      recursive: true,
      filter: (source) => (/migrations\/(\d+_\w+)/.exec(source)?.[1] ?? '') < first,
    })
    cpSync(join(root, 'prisma/functions'), join(folder, 'functions'), { recursive: true })
    const functions = readFunctions(join(root, 'prisma/functions'))
    for (const { name, definition } of functions) {
      if (uses.test(definition)) rmSync(join(folder, 'functions', `${name}.sql`))
    }
    await migrate(url, folder)
    await query(url, 'SELECT make_partitions(2)')
    await work(url)
  })
}
