export * from './asset.ts'
export * from './document.tsx'
export * from './send-page.ts'
export * from './table.tsx'
