import type { KeyPolicyWarning } from '../../../api/for-pages.ts'
import { Alert } from '../../view/components.tsx'

/** What weakens the key policy. */
export const PolicyWarnings = ({
  warnings = [],
}: {
  warnings: readonly KeyPolicyWarning[] | undefined
}) => (
  <>
    {warnings.map(({ code, message }) => (
      <Alert key={code} tone="warn" title="Some IP allowlists are wide">
        {message} <a href="/keys?wide_ip_allowlist=true">Show the keys</a>
      </Alert>
    ))}
  </>
)
