/** A rollout in the order of its decisions: the graph, its phases and rules, the plan that the daemon makes, the start. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import type { PostAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { noteLaunch } from '../../data/recent-graphs.ts';
import { ActionButton } from '../action-button.tsx';
import { GraphChoice } from '../launch/graph-choice.tsx';
import { type EnteredRollout, enteredRollout, firstTexts, type RolloutTexts, rolloutStart } from './entered-rollout.ts';
import { RolloutFields } from './rollout-fields.tsx';
import { RolloutPlan } from './rollout-plan.tsx';

interface RolloutFormProps {
  /** Ids. */
  nodes: readonly string[];
  /** The first texts of fields. */
  given?: Partial<RolloutTexts>;
}

interface PlannedRollout {
  /** With the seed of the plan, so that the start has the same targets in the same order. */
  body: EnteredRollout;
  plan: PostAnswer<'/rollouts/plan'>;
}

export function RolloutForm({ nodes, given }: RolloutFormProps) {
  const { route } = useLocation();
  const texts = useSignal<RolloutTexts>({ ...firstTexts(nodes.length), ...given });
  /** undefined: not planned yet, or changed since. */
  const planned = useSignal<PlannedRollout | undefined>(undefined);
  const enter = (change: Partial<RolloutTexts>) => {
    texts.value = { ...texts.value, ...change };
    planned.value = undefined;
  };
  const plan = async () => {
    const body = enteredRollout(texts.value, nodes);
    const { body: answer } = await client.post('/rollouts/plan', { body });
    planned.value = { body: { ...body, seed: answer.seed }, plan: answer };
  };
  const open = (id: string) => route(`/ui/rollouts/${encodeURIComponent(id)}`);
  const start = async (body: EnteredRollout) => {
    const { id } = (await client.post('/rollouts', { body })).body;
    noteLaunch(body.graph);
    open(id);
  };
  const rehearse = async (body: EnteredRollout) => {
    const { body: rehearsal } = await client.post('/rehearsals', { body });
    window.open(`/ui/rehearsals/${encodeURIComponent(rehearsal.id)}`, '_blank', 'noopener');
  };
  const ask = async (body: EnteredRollout) => {
    const { body: ticket } = await client.post('/tickets', { body: { rollout: body } });
    await start({ ...body, ticket: ticket.id });
  };
  const { needsTicket, obstacle } = rolloutStart(planned.value?.plan.rejections ?? []);
  return (
    <div class="launch">
      <GraphChoice value={given?.graph ?? ''} choose={(graph) => enter({ graph })} />
      {texts.value.graph !== '' && <RolloutFields texts={texts.value} enter={enter} />}
      {planned.value !== undefined && <RolloutPlan plan={planned.value.plan} />}
      <div class="launch-foot">
        {planned.value !== undefined && (
          <Start
            planned={planned.value}
            needsTicket={needsTicket}
            obstacle={obstacle}
            start={needsTicket ? ask : start}
            rehearse={rehearse}
          />
        )}
        <ActionButton run={plan} reason={texts.value.graph === '' ? 'Choose a graph first.' : undefined}>
          {planned.value === undefined ? 'Plan' : 'Plan again'}
        </ActionButton>
        <span class="quiet">{countText(nodes.length, 'node')}; a plan starts nothing</span>
      </div>
    </div>
  );
}

interface StartProps {
  planned: PlannedRollout;
  needsTicket: boolean;
  obstacle: string | undefined;
  start: (body: EnteredRollout) => Promise<unknown>;
  rehearse: (body: EnteredRollout) => Promise<unknown>;
}

const Start = ({ planned, needsTicket, obstacle, start, rehearse }: StartProps) => (
  <>
    <ActionButton kind="main" run={() => start(planned.body)} reason={obstacle}>
      {needsTicket ? 'Request approval' : 'Start the rollout'}
    </ActionButton>
    <ActionButton run={() => rehearse(planned.body)}>Rehearse</ActionButton>
    {obstacle !== undefined && <span class="quiet">{obstacle}</span>}
    {needsTicket && <span class="quiet">It begins when another user has approved its ticket.</span>}
  </>
);
