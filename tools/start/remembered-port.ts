import { freePort } from '../local-stack/free-port.ts'
import { recall, remember } from '../local-stack/remembered.ts'

/** The port of the last run, otherwise the preferred one, otherwise any other free one. */
export async function rememberedPort(file: string, preferred: number): Promise<number> {
  const port = await freePort(Number((await recall(file)) ?? preferred))
  await remember(file, String(port))
  return port
}
