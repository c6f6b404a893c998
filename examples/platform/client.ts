import { createInternalClient } from '@hosting/platform-sdk'

export const control = createInternalClient({
  baseUrl: process.env['INTERNAL_URL']!,
  token: process.env['SERVICE_TOKEN']!,
})
