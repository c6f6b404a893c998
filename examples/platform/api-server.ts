import { serveApi } from './api.ts'
import { serve } from './serve.ts'

serve(serveApi).listen(Number(process.env['PORT'] ?? 4000), '127.0.0.1')
