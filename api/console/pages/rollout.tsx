/** One rollout: what it does, its phases with a cell for each target, and its targets as a list. */
import { useRoute } from 'preact-iso';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { countText } from '../parts/count-texts.ts';
import { LiveContent } from '../parts/live-content.tsx';
import { PhaseColumns } from './rollout/phase-columns.tsx';
import { RolloutActions } from './rollout/rollout-actions.tsx';
import { RolloutHead } from './rollout/rollout-head.tsx';
import { TargetTable } from './rollout/target-table.tsx';
import { RehearsalList } from './rollouts/rehearsal-list.tsx';
import '../styles/rollouts.css';

/** Targets that are drawn; the counts are of all. */
const MAX_TARGETS = 1_000;

export function RolloutPage() {
  const { id = '' } = useRoute().params;
  const read = async () => {
    const [{ body: rollout }, { body: targets, total = targets.length }, { total: certificates = 0 }] =
      await Promise.all([
        client.get('/rollouts/:id', { params: { id } }),
        client.get('/rollouts/:id/targets', { params: { id }, query: { $top: MAX_TARGETS } }),
        client.get('/certificates', { query: { rollout: id, $top: 1 } }),
      ]);
    return { rollout, targets, total, certificates };
  };
  const live = useLive(
    `rollout ${id}`,
    read,
    ({ type, action }) => type === 'rollout' || action !== 'progress.updated',
  );
  return (
    <LiveContent live={live}>
      {({ rollout, targets, total, certificates }) => (
        <div class="rollout">
          <RolloutHead rollout={rollout} />
          <RolloutActions rollout={rollout} reload={live.reload} />
          {certificates > 0 && (
            <p>
              <a href={`/ui/certificates?${new URLSearchParams({ rollout: id })}`}>
                {countText(certificates, 'certificate')} of erased drives
              </a>
            </p>
          )}
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
