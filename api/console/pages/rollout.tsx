/** One rollout: what it does, its phases with a cell for each target, and its targets as a list. */
import { useRoute } from 'preact-iso';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { LiveContent } from '../parts/live-content.tsx';
import { NoRecord } from '../parts/no-record.tsx';
import { PhaseColumns } from './rollout/phase-columns.tsx';
import { RolloutActions } from './rollout/rollout-actions.tsx';
import { RolloutCertificates } from './rollout/rollout-certificates.tsx';
import { RolloutHead } from './rollout/rollout-head.tsx';
import { TargetTable } from './rollout/target-table.tsx';
import { RehearsalList } from './rollouts/rehearsal-list.tsx';
import '../styles/rollouts.css';

/** Targets that are drawn; the counts are of all. */
const MAX_TARGETS = 1_000;

export function RolloutPage() {
  const { id = '' } = useRoute().params;
  const read = async () => {
    const [{ body: rollout }, { body: targets, total = targets.length }] = await Promise.all([
      client.get('/rollouts/:id', { params: { id } }),
      client.get('/rollouts/:id/targets', { params: { id }, query: { $top: MAX_TARGETS } }),
    ]);
    return { rollout, targets, total };
  };
  const live = useLive(
    `rollout ${id}`,
    read,
    ({ type, action }) => type === 'rollout' || action !== 'progress.updated',
  );
  return (
    <LiveContent
      live={live}
      missing={<NoRecord what="rollout" id={id} list={{ path: '/ui/rollouts', title: 'All rollouts' }} />}
    >
      {({ rollout, targets, total }) => (
        <div class="rollout">
          <RolloutHead rollout={rollout} />
          <RolloutActions rollout={rollout} reload={live.reload} />
          <RolloutCertificates id={id} />
          <RehearsalList of={{ graph: rollout.graph, seed: rollout.seed }} />
          <PhaseColumns rollout={rollout} targets={targets} />
          {total > targets.length && (
            <p class="quiet">
              The first {targets.length} of {total} targets are shown
            </p>
          )}
          <TargetTable targets={targets} />
        </div>
      )}
    </LiveContent>
  );
}
