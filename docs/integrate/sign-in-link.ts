import { control } from './client.ts'

/** Where to redirect a person who is signed in to your platform. The link works once, for 60 seconds. */
export async function getPanelUrl(userId: string, returnTo = '/'): Promise<string> {
  const { url } = await control.POST('/users/{id}/sign-in-links', {
    params: { path: { id: userId } },
    body: { return_to: returnTo },
  })
  return url
}
