/** The phases of a rollout side by side, with a cell for each target, in the order of their names, as in a rack. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import type { ShownRollout } from '../../data/command-reasons.ts';
import { nameOfNode } from '../../data/nodes.ts';
import { toneOf, wordOf } from '../../data/shown-states.ts';
import { Icon } from '../../parts/icon.tsx';
import { stateIcon } from '../../parts/state-pill.tsx';
import { Took } from '../../parts/time.tsx';

export type ShownTarget = GetAnswer<'/rollouts/:id/targets'>[number];

interface PhaseColumnsProps {
  rollout: ShownRollout;
  targets: readonly ShownTarget[];
}

export function PhaseColumns({ rollout, targets }: PhaseColumnsProps) {
  const byPhase = Map.groupBy(targets, ({ phase }) => phase);
  return (
    <ol class="phases" aria-label="Phases">
      {rollout.phases.map(({ index, size, advance, targets: number, counts, startedAt, finishedAt }) => (
        <li key={index} aria-current={rollout.finishedAt === null && index === rollout.phase ? 'step' : undefined}>
          <h2>
            Phase {index + 1} of {rollout.phases.length}
          </h2>
          <p class="quiet">
            {countText(number, 'target')}
            {typeof size === 'string' && size.endsWith('%') && `, ${size}`}
            {advance === 'manual' && ', then waits for you'}
          </p>
          <p>
            {Object.entries(counts)
              .filter(([, count]) => count > 0)
              .map(([status, count]) => `${count} ${status}`)
              .join(', ')}
            {startedAt !== null && (
              <>
                , <Took from={startedAt} to={finishedAt} />
              </>
            )}
          </p>
          <div class="cells">
            {(byPhase.get(index) ?? []).toSorted(byName).map((target) => (
              <Cell key={target.node} target={target} />
            ))}
          </div>
        </li>
      ))}
    </ol>
  );
}

const byName = (one: ShownTarget, other: ShownTarget): number =>
  nameOfNode(one.node).localeCompare(nameOfNode(other.node), undefined, { numeric: true });

function Cell({ target: { node, status, reason, workflow } }: { target: ShownTarget }) {
  const text = `${nameOfNode(node)}: ${wordOf(status)}${reason === null ? '' : ` (${reason})`}`;
  const content = <Icon of={stateIcon(status)} />;
  const props = { class: `cell ${toneOf(status)}`, title: text, 'aria-label': text };
  if (workflow === null)
    return (
      <span role="img" {...props}>
        {content}
      </span>
    );
  return (
    <a href={`/ui/workflows/${encodeURIComponent(workflow)}`} {...props}>
      {content}
    </a>
  );
}
