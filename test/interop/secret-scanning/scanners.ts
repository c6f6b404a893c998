import { installGo, installPython } from '../support/toolchain.ts'

/** Installs gitleaks. Returns the folder of the program. */
export const installGitleaks = (): Promise<string> =>
  installGo('github.com/zricethezav/gitleaks/v8@v8.30.1')

/** Installs detect-secrets. Returns the folder of the program. */
export const installDetectSecrets = (): Promise<string> => installPython('detect-secrets==1.5.0')
