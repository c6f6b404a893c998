import type { Duty } from './duty.ts'

/** Checks whether signing secrets can be decrypted, if that is in doubt. If none can, the worker makes no attempts. */
export const checkSecrets: Duty = {
  name: 'check-secrets',
  everyMs: 5_000,
  async run({ signing, log }) {
    const could = signing.canSign()
    await signing.check()
    if (could === signing.canSign()) return
    if (could)
      log.error('SECRETS_KEYRING decrypts no signing secret: this worker makes no attempts')
    else log.info('signing secrets can be decrypted again')
  },
}
