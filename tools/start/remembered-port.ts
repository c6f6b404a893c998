import { choosePort } from '../local-stack/choose-port.ts'
import { remember } from '../local-stack/remembered.ts'
import { say } from './say.ts'

/** Chooses a port for a listener of `npm start`, and stores it for the next run. */
export async function rememberedPort(
  file: string,
  preferred: number,
  name: string,
): Promise<number> {
  const port = await choosePort({ name, file, preferred, log: say })
  await remember(file, String(port))
  return port
}
