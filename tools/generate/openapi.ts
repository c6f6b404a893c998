import { openApiDocument, publicRoutes } from '@hosting/api'

/** docs/generated/openapi.json */
export const openApiText = (): string =>
  `${JSON.stringify(openApiDocument(publicRoutes), null, 2)}\n`
