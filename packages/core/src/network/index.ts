export * from './address-policy.ts'
export * from './client-address.ts'
export * from './networks.ts'
export * from './own-networks.ts'
