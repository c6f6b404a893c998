import { generate } from 'selfsigned'

/** A server's certificate and key, and the certificate of the authority that signed it; all PEM. */
export interface Certificates {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** What a certificate is valid for. */
export interface CertificateOptions {
  readonly names?: readonly string[]
  readonly addresses?: readonly string[]
  /** If true, the certificate is self-signed, and `ca` is the certificate. */
  readonly selfSigned?: boolean
  readonly notAfterDate?: Date
}

const dayMs = 86_400_000

/** Creates an authority and a server certificate signed by it, for the names and addresses. */
export async function makeCertificates({
  names = [],
  addresses = [],
  selfSigned = false,
  notAfterDate = new Date(Date.now() + dayMs),
}: CertificateOptions = {}): Promise<Certificates> {
  const authority = selfSigned ? undefined : await makeAuthority()
  const leaf = await generate([{ name: 'commonName', value: 'receiver' }], {
    ...keys,
    notBeforeDate: new Date(notAfterDate.getTime() - 2 * dayMs),
    notAfterDate,
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          ...addresses.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
    ...(authority && { ca: { cert: authority.cert, key: authority.private } }),
  })
  return { ca: authority?.cert ?? leaf.cert, cert: leaf.cert, key: leaf.private }
}

const keys = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const

const makeAuthority = () =>
  generate([{ name: 'commonName', value: 'Test authority' }], {
    ...keys,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
