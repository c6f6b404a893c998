import { createRenamer, defaultNames } from '@hosting/core/branding'

/** The clients are the same for all installations, whatever the names of an installation are. */
export const renameForAll = createRenamer({
  ...defaultNames,
  keyPrefix: '<prefix>',
  webhookHeaderPrefix: '<prefix>',
})
