export * from './device-approvers.ts'
export * from './device-requests.ts'
