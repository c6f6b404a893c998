import { freePort } from '../local-stack/free-port.ts'
import { recall, remember } from '../local-stack/remembered.ts'

/** The port of the last run, or else the preferred one, or else any other that is free. */
export async function rememberedPort(file: string, preferred: number): Promise<number> {
  const port = await freePort(Number((await recall(file)) ?? preferred))
  await remember(file, String(port))
  return port
}
