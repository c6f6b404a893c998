import type { Database } from './database.ts'

/** Erases secrets of keys and endpoints whose grace has ended. They were worthless since; now they are gone. */
export async function eraseExpiredSecrets({ prisma }: Database): Promise<number> {
  const ended = { where: { expiresAt: { lte: new Date() } } }
  const ofEndpoints = await prisma.webhookSecret.deleteMany(ended)
  const ofKeys = await prisma.apiKeySecret.deleteMany(ended)
  return ofEndpoints.count + ofKeys.count
}
