export * from './color.ts'
export * from './names.ts'
