export * from './asset.ts'
export * from './document.tsx'
export * from './send-page.ts'
export * from './static-content.ts'
export * from './table.tsx'
export {
  appearanceCookies,
  findAppearance,
  type Appearance,
  type Density,
  type Theme,
} from './appearance.ts'
