export * from './notice-feed.ts'
export * from './notice-mails.ts'
export * from './notices.ts'
export * from './notification-settings.ts'
