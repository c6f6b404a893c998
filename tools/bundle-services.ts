// Bundles the API and the worker. A step of `npm run build`. Writes nothing if no input is newer than the last run.
import { isCurrent } from './is-current.ts'
import { root } from './run.ts'
import { bundleService, services, stampOf } from './service-bundle.ts'

for (const service of services) {
  const inputs = [
    'tools/service-bundle.ts',
    'package-lock.json',
    `apps/${service}/dist/*.js`,
    `apps/${service}/dist/!(bundle|site)/**/*.js`,
    'packages/*/dist/**/*.js',
  ]
  if (!(await isCurrent(root + stampOf(service), inputs))) await bundleService(service)
}
