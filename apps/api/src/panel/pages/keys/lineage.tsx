import type { KeyLineage, KeyTree } from '../../../use-cases/key-lineage.ts'
import { KeyStatus } from '../../view/status.tsx'

/** The keys that were created with a key, as a tree. */
export const LineageTree = ({ lineage: { children, isCut } }: { lineage: KeyLineage }) => (
  <>
    <Branches keys={children} />
    {isCut && <p class="quiet">There are more keys than these.</p>}
  </>
)

const Branches = ({ keys }: { keys: readonly KeyTree[] }) => (
  <ul class="tree">
    {keys.map(({ id, name, status, children }) => (
      <li key={id}>
        <span class="tree-key">
          <a class="standalone" href={`/keys/${id}`}>
            <bdi>{name}</bdi>
          </a>
          <code>{id}</code>
          <KeyStatus status={status} />
        </span>
        {children.length > 0 && <Branches keys={children} />}
      </li>
    ))}
  </ul>
)
