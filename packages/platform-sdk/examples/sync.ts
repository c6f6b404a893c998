import { createInternalClient, type DirectoryRecords } from '@hosting/platform-sdk'

const control = createInternalClient({
  baseUrl: process.env['INTERNAL_URL']!,
  token: process.env['SERVICE_TOKEN']!,
})

const records = JSON.parse(process.env['RECORDS']!) as DirectoryRecords
const { put, refused, surplus } = await control.directory.sync(records)
console.log(`Sent ${put.length}, refused ${refused.length}`)
for (const { type, id, name } of surplus) console.log(`Only in the service: ${type} ${id} ${name}`)
