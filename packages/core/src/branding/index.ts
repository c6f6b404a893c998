export * from './color.ts'
export * from './names.ts'
export * from './style-sheet.ts'
