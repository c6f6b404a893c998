// A closed terminal or pipe (`| head`) must not end this process halfway.
process.stdout.on('error', () => undefined)

/** Prints a line for the user of `npm start`. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
