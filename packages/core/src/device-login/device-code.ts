import { hash, randomBytes } from 'node:crypto'

const pattern = /^dc_[\w-]{43}$/

/** Creates a device code: `dc_` and 256 random bits in base64url. */
export const createDeviceCode = (): string => `dc_${randomBytes(32).toString('base64url')}`

/** Whether the text has the form of a device code. Other texts need no database query. */
export const isDeviceCode = (text: string): boolean => pattern.test(text)

/** The hash under which a device code is stored, 32 bytes. With 256 random bits, plain SHA-256 is enough. */
export const hashDeviceCode = (code: string): Buffer => hash('sha256', code, 'buffer')
