import { problemCatalog } from '@hosting/core'

/** docs/problems.md */
export const problemsDocument = (): string => `# Problems

<!-- Made by \`npm run generate\` from packages/core/src/problems.ts. -->

Every error is a problem document (RFC 9457) with one of these codes. The service shows each at
\`/problems/<code>\`.

${Object.entries(problemCatalog)
  .map(
    ([code, { status, title, detail, explanation }]) =>
      `## ${code}\n\n${status} ${title}. ${explanation}\n\n> ${detail}\n`,
  )
  .join('\n')}`
