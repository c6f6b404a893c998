import { writeFile } from 'node:fs/promises'
import { needing, succeeds } from '../../support/needing.ts'
import { installOnce, runProgram } from './toolchain.ts'

/** The functions of jest for tests that need a JDK and Maven. */
export const java = needing(
  'maven',
  succeeds(['mvn', '--version']) && succeeds(['javac', '-version']),
)

/** Installs Java libraries, each as `group:artifact:version`, with what they need. Returns the folder of their archives. */
export async function installMaven(...artifacts: readonly string[]): Promise<string> {
  const folder = await installOnce(`maven/${artifacts.join('+')}`, async (cwd) => {
    await writeFile(`${cwd}pom.xml`, projectWith(artifacts))
    const options = ['--quiet', '--batch-mode', '-DoutputDirectory=lib']
    await runProgram(['mvn', ...options, 'dependency:copy-dependencies'], { cwd })
  })
  return `${folder}lib/`
}

const projectWith = (artifacts: readonly string[]): string => {
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`
  })
  return `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>libraries</artifactId>
  <version>1</version>
  <dependencies>${dependencies.join('')}</dependencies>
</project>
`
}
