import { installGenerators } from './generators/generate-client.ts'
import {
  installGoClient,
  installJavaClient,
  installJavaScriptLibraries,
  installPythonLibraries,
  installRustClient,
} from './oauth/installed-clients.ts'
import { installEnvoy } from './proxies/stream-proxies.ts'
import { installDetectSecrets, installGitleaks } from './secret-scanning/scanners.ts'
import { java } from './support/maven.ts'
import { toolchains } from './support/toolchain.ts'
import { languages } from './verifiers/languages.ts'
import { verifiers, type LanguageName } from './verifiers/verifiers.ts'

// `npm run install:interop`: downloads and compiles what the suite runs, so that the suite itself need not wait for it.

const buildVerifiers = (language: LanguageName) =>
  languages[language].build(verifiers.filter((verifier) => verifier.language === language))

toolchains.npm.concurrent('JavaScript is installed', async () => {
  await Promise.all([installJavaScriptLibraries(), buildVerifiers('JavaScript')])
  await installGenerators('npm')
})

toolchains.python.concurrent('Python is installed', async () => {
  await Promise.all([
    installPythonLibraries(),
    buildVerifiers('Python'),
    installDetectSecrets(),
    installEnvoy(),
  ])
  await installGenerators('python')
})

toolchains.go.concurrent('Go is installed', async () => {
  await installGoClient('oauth2')
  await buildVerifiers('Go')
  await installGenerators('go')
  await installGitleaks()
})

toolchains.rust.concurrent('Rust is installed', installRustClient)

java.concurrent('Java is installed', async () => {
  await installJavaClient('DeviceLogin.java')
  await buildVerifiers('Java')
})
