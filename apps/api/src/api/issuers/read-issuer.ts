import {
  configurationUrlOf,
  issuerDocumentBytesMax,
  issuerReadTimeoutMs,
  readSigningKeys,
  type IssuerKey,
} from '@hosting/core/workloads'
import type { JsonReader } from '@hosting/process'

/**
 * Reads both documents of an issuer (OpenID Connect Discovery 1.0, section 4). Its lookups of names are limited by the
 * host, so no other issuer and no organization delays them.
 *
 * @throws Error if they cannot be read, or are invalid.
 */
export async function readIssuer(
  reader: JsonReader,
  issuer: string,
): Promise<readonly IssuerKey[]> {
  const signal = AbortSignal.timeout(issuerReadTimeoutMs)
  const read = (url: string) =>
    reader.read(url, {
      lookupsOf: new URL(url).hostname,
      bytesMax: issuerDocumentBytesMax,
      signal,
    })
  const keys = readSigningKeys(
    await read(toKeysUrl(await read(configurationUrlOf(issuer)), issuer)),
  )
  if (!keys) throw new Error('the key set is invalid')
  return keys
}

function toKeysUrl(configuration: unknown, issuer: string): string {
  const { issuer: named, jwks_uri: url } = (configuration ?? {}) as Record<string, unknown>
  if (named !== issuer) throw new Error('the configuration names another issuer')
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) throw new Error('jwks_uri is no URL')
  return url
}
