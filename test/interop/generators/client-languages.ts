import { build } from 'esbuild'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Command } from '../../support/needing.ts'
import { goProgram, runProgram } from '../support/toolchain.ts'
import { root } from '../../../tools/run.ts'
import type { GeneratedClient } from './generate-client.ts'
import type { Generator } from './generators.ts'

/** Compiles everything in the folder of a client, and returns the command that runs its `main`, if there is one. */
export const compile: Readonly<
  Record<Generator['language'], (client: GeneratedClient) => Promise<Command>>
> = {
  async TypeScript({ folder }) {
    const types = { types: ['node'], typeRoots: [`${root}node_modules/@types`] }
    const compilerOptions = {
      ...types,
      strict: true,
      noEmit: true,
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable'],
      module: 'esnext',
      moduleResolution: 'bundler',
      allowImportingTsExtensions: true,
    }
    const project = { compilerOptions, include: ['**/*.ts'] }
    await writeFile(`${folder}tsconfig.json`, JSON.stringify(project))
    await runProgram([`${root}node_modules/.bin/tsc`, '--project', folder])
    const outfile = `${folder}main.mjs`
    const entryPoints = [`${folder}main.ts`].filter((path) => existsSync(path))
    await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node' })
    return [process.execPath, outfile]
  },

  async Python({ folder, programs }) {
    const python = `${programs}python3`
    await runProgram([python, '-m', 'compileall', '-q', `${folder}hosting_client`])
    return [python, `${folder}main.py`]
  },

  async Go({ folder }) {
    const go = await goProgram()
    const modules = [
      'github.com/oapi-codegen/runtime@v1.9.0',
      'github.com/oapi-codegen/nullable@v1.2.0',
    ]
    await writeFile(`${folder}go.mod`, 'module example.com/client\n\ngo 1.24\n')
    await runProgram([go, 'get', ...modules], { cwd: folder })
    const target = existsSync(`${folder}main.go`) ? ['-o', 'main', '.'] : ['./...']
    await runProgram([go, 'build', ...target], { cwd: folder })
    return [`${folder}main`]
  },
}
