import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js'

interface Definition {
  readonly title: string
  readonly description: string
  /** @param endpoint - as the user names it. */
  readonly text: (endpoint: string) => string
}

const findEndpoint = (endpoint: string): string =>
  `Find the endpoint "${endpoint}" with webhooks_list: by its id, external_id, description or URL. If several fit, ask.`

/** The prompts by name. */
const prompts: Readonly<Record<string, Definition>> = {
  'why-is-this-endpoint-failing': {
    title: 'Why is this endpoint failing?',
    description: 'Finds the cause of failed deliveries, and what to change at the receiver.',
    text: (endpoint) => `Why is a webhook endpoint failing, and what do I have to change?

1. ${findEndpoint(endpoint)}
2. Read its health with webhooks_get, its incidents with webhooks_incidents, and its attempts with webhooks_stats.
3. Read the newest deliveries that failed with webhooks_deliveries, and the attempts of two of them with webhook_deliveries_get.
4. Say what failed, since when, how often and for which event types. Separate what you read from what you conclude.
5. Say what to change at the receiver. If you have its code, find the place, and test the change with the payload of a failed delivery. Do not change the endpoint.`,
  },
  'replay-what-was-missed': {
    title: 'Replay what was missed',
    description: 'Counts what did not arrive, and sends it again after a confirmation.',
    text: (endpoint) => `Send again what a webhook endpoint has missed.

1. ${findEndpoint(endpoint)}
2. Read with webhooks_get whether it is healthy. If it is failing, say why and stop: what is sent now would fail too.
3. Count what is missing with webhooks_completeness, and find the times of the incident with webhooks_incidents.
4. Say what would be sent: how many events, of which times. Ask for a confirmation.
5. Call webhooks_recover for these times. If that tool is missing, say that a person has to start "hctl mcp --allow-writes", or run "hctl deliveries recover".
6. Follow the recovery with webhooks_recoveries_get, then count again with webhooks_completeness.`,
  },
  'prove-that-nothing-is-missing': {
    title: 'Prove that nothing is missing',
    description: 'Compares what was sent with what arrived, and lists the exceptions.',
    text: (
      endpoint,
    ) => `Prove that a webhook endpoint has got every event, or list what it has not got.

1. ${findEndpoint(endpoint)}
2. Count with webhooks_completeness.
3. List each exception with webhooks_deliveries: what waits, and what has failed for good. Name the event ids.
4. If you can read what the receiver has stored, compare its event ids with those of events_list, page by page. A delivery that arrived is not an event that was stored. "hctl webhooks reconcile" does the same with a file of ids.
5. Say the times, the counts and the exceptions in a few sentences that can be forwarded. Say what you have not checked.`,
  },
}

const endpointArgument = {
  name: 'endpoint',
  description: 'The endpoint: its id, external id, description or URL',
  required: true,
}

export const listPrompts = (): Prompt[] =>
  Object.entries(prompts).map(([name, { title, description }]) => ({
    name,
    title,
    description,
    arguments: [endpointArgument],
  }))

/** @returns undefined if there is no such prompt, or its argument is missing. */
export function findPrompt(
  name: string,
  given: Readonly<Record<string, string>>,
): GetPromptResult | undefined {
  const prompt = Object.hasOwn(prompts, name) ? prompts[name] : undefined
  const { endpoint } = given
  if (!prompt || !endpoint) return undefined
  const text = prompt.text(endpoint)
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  }
}
