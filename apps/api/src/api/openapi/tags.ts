/** The tags of the operations: the first segments of their paths. Others get a text of their own name. */
const tagTexts: Readonly<Record<string, string>> = {
  accounts: 'The accounts of the directory.',
  'api-keys': 'API keys and their usage.',
  'audit-log': 'What changed in the organization, and who changed it.',
  auth: 'The caller, sign-in, device login and the exchange of identity tokens.',
  authorize: 'Authorization of requests to other services of the platform.',
  deliveries: 'What the service sends to the URL of an endpoint.',
  directory: 'Many records of the directory at once.',
  events: 'The events of the organization.',
  notices: 'Notices for people.',
  tenant: 'The organization and its policies.',
  tenants: 'The organizations of the directory.',
  users: 'The users of the directory.',
  'webhook-deliveries': 'Deliveries of events, and their attempts.',
  webhooks: 'Endpoints that receive events, their health and recoveries.',
}

/** The list of the tags that the operations have. */
export const tagsOf = (names: Iterable<string>): readonly object[] =>
  [...new Set(names)].toSorted().map((name) => ({
    name,
    description: tagTexts[name] ?? `Operations under \`/${name}\`.`,
  }))
