// A process that logs much while it drains. The timer keeps it running, as servers and connections do in the apps:
// Node does not wait for a signal.
import { runProcess } from '@hosting/process'

await runProcess('ending', (_config, log) => {
  const running = setInterval(() => {}, 1_000)
  setImmediate(() => process.kill(process.pid, 'SIGTERM'))
  return Promise.resolve({
    close() {
      for (let number = 1; number <= 1_000; number++)
        log.info({ text: 'x'.repeat(500) }, 'draining')
      clearInterval(running)
      return Promise.resolve()
    },
  })
})
