import { control } from './client.ts'

/** What the panel shows first, and whether the platform has just confirmed who the person is. */
export interface PanelVisit {
  readonly returnTo?: string
  readonly isConfirmed?: boolean
}

/** Where to redirect a person who is signed in to your platform. The link works once, for 60 seconds. */
export async function getPanelUrl(
  userId: string,
  { returnTo = '/', isConfirmed = false }: PanelVisit = {},
): Promise<string> {
  const { url } = await control.POST('/users/{id}/sign-in-links', {
    params: { path: { id: userId } },
    body: { return_to: returnTo, confirmed: isConfirmed },
  })
  return url
}
