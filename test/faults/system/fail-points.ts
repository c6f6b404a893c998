import { failPoints, type FailPointName } from '@hosting/core/fail-points'

/** The fail points of a process. */
export const failPointsOf = (kind: 'api' | 'worker'): readonly FailPointName[] =>
  (Object.keys(failPoints) as FailPointName[]).filter((name) => failPoints[name] === kind)
