export { anchorOfCheck } from './findings.ts'
export { boardPath } from './operators-paths.ts'
export {
  operatorsRoutes,
  type OperatorsServices,
  type WorkerOfOperators,
} from './operators-routes.ts'
export { runbookAnchors, runbookHtml } from './runbook.ts'
