import { hash, randomBytes } from 'node:crypto'

const pattern = /^dc_[\w-]{43}$/

/** Mints a device code: `dc_` and 256 random bits in base64url. */
export const createDeviceCode = (): string => `dc_${randomBytes(32).toString('base64url')}`

/** Whether the text may be a device code; what may not needs no look-up. */
export const isDeviceCode = (text: string): boolean => pattern.test(text)

/** The hash under which a device code is stored. With 256 random bits SHA-256 alone will do. 32 bytes. */
export const hashDeviceCode = (code: string): Buffer => hash('sha256', code, 'buffer')
