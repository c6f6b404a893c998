import { createInternalClient } from '@hosting/sdk/internal'

export const control = createInternalClient({
  baseUrl: process.env['INTERNAL_URL']!,
  token: process.env['SERVICE_TOKEN']!,
})
