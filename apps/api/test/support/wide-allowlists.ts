/** The networks of `0/1`, `10/2`, `110/3` and so on in binary, and the rest: together, they are every address. */
const splitOf = (depth: number, format: (first: bigint) => string): string[] => [
  ...Array.from({ length: depth }, (_, index) => `${format(onesOf(index))}/${index + 1}`),
  `${format(onesOf(depth))}/${depth}`,
]
/** The 128 bits that begin with this number of ones. */
const onesOf = (count: number): bigint => ((1n << BigInt(count)) - 1n) << BigInt(128 - count)
const ipv4Of = (first: bigint): string =>
  [0, 8, 16, 24].map((skip) => (first >> BigInt(120 - skip)) & 0xffn).join('.')
const ipv6Of = (first: bigint): string =>
  Array.from({ length: 8 }, (_, index) =>
    ((first >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  ).join(':')

/** Lists of which some allow everything. */
export const wideLists: string[][] = [
  ['0.0.0.0/0'],
  ['0.0.0.0/1'],
  ['0.0.0.0/1', '128.0.0.0/1', '10.0.0.0/8'],
  ['0.0.0.0/1', '10.0.0.0/8', '192.0.0.0/2'],
  ['::/0', '2001:db8::/32'],
  ['::/1', '4000::/2', '0.0.0.0/1'],
  ['::ffff:0.0.0.0/97', '128.0.0.0/1'],
  ['::ffff:0.0.0.0/96'],
  ['::ffff:0.0.0.0/97', '0.0.0.0/1'],
  ['::1.2.3.4/128', '::ffff:1.2.3.4'],
  splitOf(32, ipv4Of),
  splitOf(32, ipv4Of).slice(1),
  splitOf(99, ipv6Of),
  splitOf(99, ipv6Of).slice(0, -1),
]
