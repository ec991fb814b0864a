/** The rollout that brings the nodes that differ to a baseline: the daemon proposes it, and the user changes and starts it. */

import { microkernelText } from '../../../../engine/vocabulary/baseline-texts.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { RolloutForm } from '../../parts/rollout/rollout-form.tsx';

const COMPARED = 1_000;

export const BringNodes = ({ id }: { id: string }) => (
  <DialogButton text="Bring nodes to it…" title="Bring nodes to the baseline" kind="main">
    {() => <ProposedRollout id={id} />}
  </DialogButton>
);

function ProposedRollout({ id }: { id: string }) {
  const params = { id };
  const read = async () => {
    const { body: proposed } = await client.get('/baselines/:id/rollout', { params });
    const drift = await client.get('/baselines/:id/drift', { params, query: { state: 'differs', $top: COMPARED } });
    const { body, total = body.length } = drift;
    const boots = microkernelText(body) ?? 'No node boots the microkernel';
    return [proposed, total > COMPARED ? `By the first ${COMPARED} of ${total} nodes: ${boots}` : boots] as const;
  };
  // The form keeps what is entered; a later reading renews the nodes.
  const live = useLive(`rollout of ${id}`, read, () => false);
  return (
    <LiveContent live={live}>
      {([proposed, boots]) => (
        <>
          <p>{boots}.</p>
          <RolloutForm {...formOf(proposed)} />
        </>
      )}
    </LiveContent>
  );
}

const formOf = ({ name, graph, options, targets }: GetAnswer<'/baselines/:id/rollout'>) => ({
  nodes: (targets as { nodes: string[] }).nodes,
  given: { name: name ?? '', graph, options: JSON.stringify(options, null, 2) },
});
