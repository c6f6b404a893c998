import { runTool } from './run.ts'

/** Applies the migrations that the database lacks; gives what Prisma printed. */
export const migrate = (databaseUrl: string): string =>
  runTool('prisma', ['migrate', 'deploy'], { DATABASE_DIRECT_URL: databaseUrl })
