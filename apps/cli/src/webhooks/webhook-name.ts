import { endpointAddressPattern } from '../generated/delivery-words.ts'

/** The name of a webhook in the panel: its description, or else its address. */
export const webhookName = ({
  url,
  description,
}: {
  readonly url: string
  readonly description: string | null
}): string =>
  description?.replaceAll(/\s+/g, ' ').trim() ||
  (new RegExp(endpointAddressPattern).exec(url)?.[1] ?? url)
