import { databaseUrl, sslMode } from '@hosting/core/configuration'
import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'
import { sessionOptionsOf, type SessionSettings } from './session-settings.ts'
import { strictTypes } from './strict-types.ts'

/**
 * How to connect to a database: with the parameters of its URL, `sslmode` as libpq understands it, and these settings of
 * the session. Times that cannot be read are errors.
 *
 * @param settings - `undefined`: behind a pooler, which forwards none. The options of the URL, or else of PGOPTIONS, cannot
 *   change them.
 * @param defaults - settings that these options can change.
 * @throws Error if the URL has a part that is not supported, or names a file that cannot be read.
 */
export function connectionConfigOf(
  text: string,
  settings: SessionSettings = {},
  defaults: SessionSettings = {},
): pg.ClientConfig {
  try {
    databaseUrl(text)
    const { url, given } = takeParameters(text)
    const options = [
      sessionOptionsOf(defaults),
      given.get('options') ?? process.env['PGOPTIONS'] ?? '',
      sessionOptionsOf(settings),
    ]
      .filter((each) => each !== '')
      .join(' ')
    return {
      connectionString: url,
      ...(options !== '' && { options }),
      ssl: sslOf(given, isSocket(text)),
      types: strictTypes(pg.types),
    }
  } catch (error) {
    throw new Error(`The URL of the database ${(error as Error).message}`, { cause: error })
  }
}

/** The parameters that pg's own parser would apply, or understand otherwise than libpq. */
const taken = ['options', 'ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat']

/** Separates these from the URL, which otherwise remains as it is. */
function takeParameters(text: string): { url: string; given: ReadonlyMap<string, string> } {
  const start = text.indexOf('?')
  if (start < 0) return { url: text, given: new Map() }
  const parameters = new URLSearchParams(text.slice(start))
  const given = new Map([...parameters].filter(([name]) => taken.includes(name)))
  for (const name of taken) parameters.delete(name)
  return { url: `${text.slice(0, start)}?${parameters.toString()}`, given }
}

/** libpq uses no TLS on the socket of this machine. */
function isSocket(text: string): boolean {
  const host = new URLSearchParams(text.slice(text.indexOf('?'))).get('host') ?? ''
  return host.startsWith('/') || /^\w+:\/\/([^/?]*@)?(%2f|[/?]|$)/i.test(text)
}

function sslOf(given: ReadonlyMap<string, string>, isLocal: boolean): false | ConnectionOptions {
  const fallback = given.get('ssl') === 'true' ? 'require' : 'disable'
  const mode = sslMode(given.get('sslmode') ?? (process.env['PGSSLMODE'] || fallback))
  if (mode === 'disable' || isLocal) return false
  const file = (name: string, variable: string): string | undefined => {
    const path = given.get(name) ?? (process.env[variable] || undefined)
    return path === undefined || path === 'system' ? undefined : readPem(name, path)
  }
  const ca = file('sslrootcert', 'PGSSLROOTCERT')
  if (mode === 'verify-ca' && ca === undefined) {
    throw new Error('must name the file of a certificate authority in sslrootcert')
  }
  const [cert, key] = [file('sslcert', 'PGSSLCERT'), file('sslkey', 'PGSSLKEY')]
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    // libpq checks the certificate with sslmode=require too, if it knows an authority.
    rejectUnauthorized: mode === 'verify-full' || ca !== undefined,
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  }
}

function readPem(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { message } = error as Error
    throw new Error(`names a file in ${name} that cannot be read: ${message}`, { cause: error })
  }
}
