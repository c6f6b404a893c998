import '@hosting/process/check-node'
import { runProcess } from '@hosting/process'
import { findBrandErrors } from './brand.ts'
import { startApi } from './start.ts'

await runProcess('api', startApi, findBrandErrors)
