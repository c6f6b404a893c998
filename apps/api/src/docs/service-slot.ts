/**
 * What the build writes into `hctl` in place of the URL of its service. It is as long as it may become, so that neither
 * the size nor the headers of an archive change when a service writes its URL there.
 */
export const serviceSlot = 'service-url'.padEnd(512)

/** Writes the URL of the service over each slot. A URL that is longer than the slot is left out. */
export function fillServiceSlot(content: Buffer, url: string): Buffer {
  const filled = Buffer.from(content)
  const text = Buffer.from(url.padEnd(serviceSlot.length))
  if (text.length !== serviceSlot.length) return filled
  for (let at = filled.indexOf(serviceSlot); at >= 0; at = filled.indexOf(serviceSlot, at + 1)) {
    text.copy(filled, at)
  }
  return filled
}
