import { hash, verify } from '@node-rs/argon2'
import { availableParallelism } from 'node:os'

// Argon2id with the library's parameters, which are OWASP's: 19 MiB, 2 passes, 1 lane.

/** The hash of a password, argon2id in PHC form. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password))

/**
 * Whether the password is the one that was hashed. Without a hash the answer is no, after the same work:
 * how long it takes does not say whether there is one.
 */
export async function isPassword(
  passwordHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  const isSame = await inTurn(() => verify(passwordHash ?? nobodysHash, password))
  return isSame && typeof passwordHash === 'string'
}

/** Of a random password that nobody kept. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$XDAsU67FIvYEGa1qf2uzGQ$0/lDV27O2UoFaryoBpMNX/xqscsa74EeGY2c8MEezDY'

/** Each run takes 19 MiB and a core: more at once would only be slower, and a flood would take all memory. */
const runsMax = Math.max(availableParallelism(), 2)
let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(run: () => Promise<T>): Promise<T> {
  if (running >= runsMax) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    return await run()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}
