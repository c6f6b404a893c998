/** What an event is about, by which people look for it. */
export interface EventSubject {
  readonly objectId: string
  readonly accountId: string | null
  /** The domain of a site, the name of a DNS zone or the host name of a server. */
  readonly name: string | null
}

/** Reads the subject of an event from its `data` (docs/specification/webhooks.md#event-types). */
export function subjectOf(data: Readonly<Record<string, unknown>>): EventSubject {
  const textOf = (member: string): string | null => {
    const value = data[member]
    return typeof value === 'string' ? value : null
  }
  return {
    objectId: textOf('object_id') ?? '',
    accountId: textOf('account_id'),
    name: textOf('primary_domain') ?? textOf('zone') ?? textOf('hostname'),
  }
}
