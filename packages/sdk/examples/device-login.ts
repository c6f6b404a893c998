import { createClient, DeviceLoginError, pollDeviceLogin, startDeviceLogin } from '@hosting/sdk'

const client = createClient({ baseUrl: process.env['HCTL_URL']! })

const code = await startDeviceLogin(client, 'my tool')
console.log(`Open ${code.verification_uri} and check that it shows ${code.user_code}`)

try {
  const { key, user } = await pollDeviceLogin(client, code)
  console.log(`Signed in as ${user.name} until ${key.expires_at}`)
} catch (error) {
  if (!(error instanceof DeviceLoginError)) throw error
  console.error(error.message)
}
