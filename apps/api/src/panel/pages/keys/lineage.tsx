import type { KeyLineage, KeyTree } from '../../../api/for-pages.ts'
import { KeyStatusLabel } from '../../view/status.tsx'

/** What was created with a key, as a tree. */
export const LineageSection = ({ lineage: { children, isCut } }: { lineage: KeyLineage }) => (
  <>
    <Branches keys={children} />
    {isCut && <p class="quiet">There are more than these.</p>}
  </>
)

const Branches = ({ keys }: { keys: readonly KeyTree[] }) => (
  <ul class="tree">
    {keys.map(({ id, keyId, name, isKey, status, children }) => (
      <li key={id}>
        <span class="tree-key">
          <span>
            {!isKey && 'Token of '}
            <a class="standalone" href={`/keys/${keyId}`}>
              <bdi>{name}</bdi>
            </a>
          </span>
          <KeyStatusLabel status={status} />
          <code>{keyId}</code>
        </span>
        {children.length > 0 && <Branches keys={children} />}
      </li>
    ))}
  </ul>
)
