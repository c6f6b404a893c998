// A process that logs much while it drains.
import { runProcess } from '@hosting/process'

await runProcess('ending', (_config, log) => {
  setImmediate(() => process.kill(process.pid, 'SIGTERM'))
  return Promise.resolve({
    close() {
      for (let number = 1; number <= 1_000; number++)
        log.info({ text: 'x'.repeat(500) }, 'draining')
      return Promise.resolve()
    },
  })
})
