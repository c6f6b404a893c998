/** The panel's form with the values of a policy. */
export function policyFormUrl(
  server: string,
  policy: Readonly<Record<string, number | boolean | null>>,
): string {
  const url = new URL('/organization/key-policy', server)
  for (const [name, value] of Object.entries(policy))
    url.searchParams.set(name, String(value ?? 'none'))
  return url.href
}
