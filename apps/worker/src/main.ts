import '@hosting/process/check-node'
import { runProcess } from '@hosting/process'
import { startWorker } from './start.ts'

await runProcess('worker', startWorker)
