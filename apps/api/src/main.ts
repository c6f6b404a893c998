import { runProcess } from '@hosting/process'
import { startApi } from './start.ts'

await runProcess('api', startApi)
