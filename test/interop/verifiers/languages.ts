import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { installMaven, java as jdk } from '../support/maven.ts'
import {
  cache,
  goProgram,
  installNpm,
  installOnce,
  installPython,
  runProgram,
  toolchains,
} from '../support/toolchain.ts'
import type { Command, Needing } from '../../support/needing.ts'
import type { LanguageName, Verifier } from './verifiers.ts'

interface Language {
  readonly needing: Needing
  /** Installs the libraries and builds a program. With a file of deliveries, it prints the answers of each verifier. */
  build(verifiers: readonly Verifier[]): Promise<Command>
}

const programs = new URL('programs/', import.meta.url).pathname

/** The versions of the libraries, once each. */
const versionsOf = (verifiers: readonly Verifier[], separator: string): string[] => [
  ...new Set(verifiers.map(({ library, version }) => library + separator + version)),
]

const importsOf = (verifiers: readonly Verifier[]): string =>
  [...new Set(verifiers.map(({ imports }) => imports))].join('\n')

async function makeFolder(name: string): Promise<string> {
  const folder = `${cache}verifiers/${name}/`
  await mkdir(folder, { recursive: true })
  return folder
}

const javaScript: Language = {
  needing: toolchains.npm,
  async build(verifiers) {
    const folder = await installNpm(...versionsOf(verifiers, '@'))
    const modules = verifiers.map(async ({ imports, call, handler }, index) => {
      const module = `${folder}verifier-${index}.mjs`
      const request = handler === 'fetch' ? 'fetched: request' : 'node: request'
      const parameters = `{ body, signature, secret, ${request} }`
      await writeFile(
        module,
        `${imports}\nexport const verify = async (${parameters}) => { ${call} }\n`,
      )
      return module
    })
    return [process.execPath, `${programs}main.mjs`, ...(await Promise.all(modules))]
  },
}

const python: Language = {
  needing: toolchains.python,
  async build(verifiers) {
    const bin = await installPython(...versionsOf(verifiers, '=='))
    const folder = await makeFolder('python')
    await copyFile(`${programs}main.py`, `${folder}main.py`)
    const functions = verifiers.map(
      ({ imports, call }, index) =>
        `def verifier_${index}(body, signature, secret, headers):\n    ${imports}\n    ${call}\n`,
    )
    const names = verifiers.map((_, index) => `verifier_${index}`).join(', ')
    await writeFile(
      `${folder}verifiers.py`,
      `${functions.join('\n\n')}\n\nVERIFIERS = [${names}]\n`,
    )
    return [`${bin}python3`, `${folder}main.py`]
  },
}

const go: Language = {
  needing: toolchains.go,
  async build(verifiers) {
    const modules = versionsOf(verifiers, '@v')
    const program = await goProgram()
    const folder = await installOnce(`go-module/${modules.join('+')}`, async (cwd) => {
      await writeFile(`${cwd}go.mod`, 'module example.com/verify\n\ngo 1.24\n')
      await runProgram([program, 'get', ...modules], { cwd })
    })
    await copyFile(`${programs}main.go`, `${folder}main.go`)
    const functions = verifiers.map(({ setup, call }) => {
      const before = setup === undefined ? '' : `${setup}\nif err != nil { return err }\n`
      return `func(body []byte, signature string, secret string, r *http.Request) error {\n${before}return errorOf(${call})\n},`
    })
    await writeFile(
      `${folder}verifiers.go`,
      `package main\nimport "net/http"\n${importsOf(verifiers)}\nvar verifiers = []verifier{\n${functions.join('\n')}\n}\n`,
    )
    // Optimizing Stripe's whole library would take a minute.
    const options = ['-mod=mod', '-gcflags=github.com/stripe/...=-N -l']
    await runProgram([program, 'build', ...options, '-o', 'verify', '.'], { cwd: folder })
    return [`${folder}verify`]
  },
}

const java: Language = {
  needing: jdk,
  async build(verifiers) {
    const libraries = await installMaven(...versionsOf(verifiers, ':'))
    const folder = await makeFolder('java')
    await copyFile(`${programs}Main.java`, `${folder}Main.java`)
    const classes = verifiers.map(
      ({ imports, call }, index) => `${imports}
import java.util.List;
import java.util.Map;
final class Verifier${index} implements Main.Verifier {
  public void verify(String body, String signature, String secret, Map<String, List<String>> headers) throws Exception {
    ${call};
  }
}
`,
    )
    for (const [index, text] of classes.entries())
      await writeFile(`${folder}Verifier${index}.java`, text)
    const instances = verifiers.map((_, index) => `new Verifier${index}()`).join(', ')
    await writeFile(
      `${folder}Verifiers.java`,
      `final class Verifiers { static final Main.Verifier[] ALL = { ${instances} }; }\n`,
    )
    const path = `${libraries}*:${folder}`
    const sources = ['Main', 'Verifiers', ...classes.map((_, index) => `Verifier${index}`)]
    const files = sources.map((name) => `${folder}${name}.java`)
    await runProgram(['javac', '-cp', path, '-d', folder, ...files])
    return ['java', '-cp', path, 'Main']
  },
}

/** The languages of the verifiers. */
export const languages: Readonly<Record<LanguageName, Language>> = {
  JavaScript: javaScript,
  Python: python,
  Go: go,
  Java: java,
}
