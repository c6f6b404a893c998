// Prints what each verifier says of each delivery: null, or its error. Arguments: modules, and a file with the deliveries.
import { readFileSync } from 'node:fs'

const modules = process.argv.slice(2, -1)
const deliveries = JSON.parse(readFileSync(process.argv.at(-1), 'utf8'))

const answers = modules.map(async (module) => {
  const { verify } = await import(module)
  return Promise.all(deliveries.map((delivery) => answerOf(verify, delivery)))
})
process.stdout.write(JSON.stringify(await Promise.all(answers)))

async function answerOf(verify, { headers, body: text, secret }) {
  const body = Buffer.from(text)
  const fetched = new Request('http://localhost/', { method: 'POST', headers, body })
  try {
    await verify({
      body,
      signature: headers['service-signature'],
      secret,
      node: { headers },
      fetched,
    })
    return null
  } catch (error) {
    return String(error.message)
  }
}
