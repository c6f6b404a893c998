import { ConfigurationError, loadConfig } from '../../../src/configuration/load-config.ts'

export const required = {
  DATABASE_URL: 'postgresql://app:pg-pass@db:5432/hosting',
  REDIS_URL: 'redis://:redis-pass@redis:6379',
}

export const base64Of = (byte: number, length = 32): string =>
  Buffer.alloc(length, byte).toString('base64')

export const load = (env: Record<string, string | undefined> = {}) =>
  loadConfig({ ...required, ...env })

export function errorsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig(env)
  } catch (error) {
    if (error instanceof ConfigurationError) return error.errors
    throw error
  }
  return []
}
