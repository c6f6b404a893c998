import type { Database } from '@hosting/postgres/database'

/**
 * The database, with a function that runs before each of its hot statements, and may throw. It takes the name of the
 * statement, without the day if it is on partitions of one.
 */
export function tapStatements(
  database: Database,
  before: (name: string) => void | Promise<void>,
): Database {
  const hotPool = new Proxy(database.hotPool!, {
    get(pool, name) {
      const member: unknown = Reflect.get(pool, name, pool)
      if (name !== 'query') return typeof member === 'function' ? member.bind(pool) : member
      return async (statement: { name: string; text: string }) => {
        await before(statement.name.split(' ')[0]!)
        return pool.query(statement)
      }
    },
  })
  return { ...database, hotPool }
}
