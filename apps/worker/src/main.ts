import '@hosting/process/check-node'
import { runProcess } from '@hosting/process'
import { findMailErrors } from './mail/mail-server.ts'
import { startWorker } from './start.ts'

await runProcess('worker', startWorker, findMailErrors)
