import { generate } from 'selfsigned'

/** A server's certificate with its key, and the certificate of the authority that vouches for it; all PEM. */
export interface Certificates {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** What a certificate is good for. */
export interface CertificateOptions {
  readonly names?: readonly string[]
  readonly addresses?: readonly string[]
  /** Without an authority: the certificate vouches for itself, and `ca` is the certificate. */
  readonly selfSigned?: boolean
  readonly notAfterDate?: Date
}

const dayMs = 86_400_000

/** Makes an authority of its own and a server's certificate from it, for the names and addresses. */
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
