import build from '../support/build.ts'
import { makeTemplate } from './support/template.ts'

export default async function setUp(): Promise<void> {
  build()
  await makeTemplate()
}
