/** The plan of a rollout: its phases with their first nodes, what would be rejected, and when it will end. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { PostAnswer } from '../../../client/requests.ts';
import { nameOfNode } from '../../data/nodes.ts';
import { DataTable } from '../data-table.tsx';
import { NodeLink } from '../links.tsx';
import { Estimate } from '../rollout-status.tsx';

type Plan = PostAnswer<'/rollouts/plan'>;

const NAMES_SHOWN = 8;
const REJECTIONS_SHOWN = 50;

const nextOf = (isLast: boolean, advance: Plan['phases'][number]['advance']): string =>
  isLast ? 'the rollout ends' : advance === 'manual' ? 'waits for you' : 'the next phase';

export function RolloutPlan({ plan: { phases, targets, rejections, estimate } }: { plan: Plan }) {
  const byPhase = Map.groupBy(targets, ({ phase }) => phase);
  const first = (index: number) => {
    const names = (byPhase.get(index) ?? []).map(({ node }) => nameOfNode(node));
    const rest = names.length > NAMES_SHOWN ? `, and ${names.length - NAMES_SHOWN} more` : '';
    return names.slice(0, NAMES_SHOWN).join(', ') + rest;
  };
  return (
    <section aria-label="Plan">
      <h3>Plan</h3>
      <p role="status">
        {countText(targets.length, 'node')} in {countText(phases.length, 'phase')}
        {estimate !== null && (
          <>
            , takes <Estimate finishedAt={estimate.finishedAt} />
          </>
        )}
      </p>
      <DataTable
        label="Phases of the plan"
        rows={phases}
        keyOf={({ index }) => String(index)}
        empty=""
        columns={[
          { title: 'phase', isNumber: true, cell: ({ index }) => index + 1 },
          { title: 'nodes', isNumber: true, cell: ({ targets: number }) => number },
          { title: 'in this order', cell: ({ index }) => first(index) },
          { title: 'then', cell: ({ index, advance }) => nextOf(index === phases.length - 1, advance) },
        ]}
      />
      <DataTable
        label="Nodes that would be rejected"
        rows={rejections.slice(0, REJECTIONS_SHOWN)}
        keyOf={({ node, code }) => `${node} ${code}`}
        empty=""
        columns={[
          { title: 'node', cell: ({ node }) => <NodeLink id={node} /> },
          { title: 'rejected', cell: ({ code }) => <code>{code}</code> },
          { title: 'reason', cell: ({ message }) => message },
        ]}
      />
      {rejections.length > REJECTIONS_SHOWN && <p class="quiet">and {rejections.length - REJECTIONS_SHOWN} more</p>}
    </section>
  );
}
