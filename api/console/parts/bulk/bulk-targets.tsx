/** The workflows that get a command: by graph, and for a retry by the task from which each runs again. */
import type { RetryEffects } from '../../data/retry-effects.ts';
import { NodeLink } from '../links.tsx';
import { type BulkTarget, NAMED } from './bulk-texts.ts';

interface BulkTargetsProps {
  workflows: readonly BulkTarget[];
  /** Those of a retry; empty: it is another command, or they are not known. */
  effects: RetryEffects;
}

export function BulkTargets({ workflows, effects }: BulkTargetsProps) {
  const groups = Map.groupBy(workflows, ({ id, injectableName }) => {
    const from = effects.get(id)?.from;
    return from === undefined ? injectableName : `${injectableName}, from ${from}`;
  });
  return (
    <ul>
      {[...groups].map(([title, some]) => (
        <li key={title}>
          {some.length} × {title}: <BulkNodes workflows={some} />
        </li>
      ))}
    </ul>
  );
}

/** The nodes of workflows, by name. */
export const BulkNodes = ({ workflows }: { workflows: readonly BulkTarget[] }) => (
  <>
    {workflows.slice(0, NAMED).map(({ id, node }, index) => (
      <span key={id}>
        {index > 0 && ', '}
        <NodeLink id={node} />
      </span>
    ))}
    {workflows.length > NAMED && ` and ${workflows.length - NAMED} more`}
  </>
);
