import { freePort } from './free-port.ts'
import { recall } from './remembered.ts'

interface PortWish {
  /** Who listens on the port, as the user reads it: "The API". */
  readonly name: string
  /** Where the port of the last run is stored. */
  readonly file: string
  /** The port of the first run. */
  readonly preferred?: number | undefined
  readonly log?: ((line: string) => void) | undefined
}

/** The port of the last run, otherwise the preferred one. If it is in use, logs that and returns any free one. */
export async function choosePort({ name, file, preferred, log }: PortWish): Promise<number> {
  const wanted = toPort(await recall(file)) ?? preferred
  const port = await freePort(wanted)
  if (wanted !== undefined && port !== wanted) {
    log?.(`Port ${wanted} is in use. ${name} listens on port ${port} instead.`)
  }
  return port
}

/** A file that was edited or truncated counts as missing. */
function toPort(text: string | undefined): number | undefined {
  const port = Number(text)
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}
