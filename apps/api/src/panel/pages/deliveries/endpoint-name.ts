/** What people call an endpoint: its description, or else its host. */
export function endpointName({
  url,
  description,
}: {
  readonly url: string
  readonly description: string | null
}): string {
  if (description) return description
  return URL.canParse(url) ? new URL(url).host : 'Deleted endpoint'
}
