// A terminal that is gone, or a `| head` that has seen enough, must not end us halfway.
process.stdout.on('error', () => undefined)

/** Prints a line for the person who runs `npm start`. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
