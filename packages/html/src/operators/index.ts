export { anchorOfCheck } from './findings.ts'
export { boardPath } from './view/document.tsx'
export {
  operatorsRoutes,
  type OperatorsServices,
  type WorkerOfOperators,
} from './operators-routes.ts'
export { runbookAnchors, runbookHtml } from './runbook.ts'
