/**
 * Delivers a notification to a wait in one write, where the live port can save both rows together: the step of the node that
 * receives it, the step of the workflow that ends the wait, and what the node does about the messages of that step, such as
 * the next wait. Otherwise they are three writes, each of which causes the next one by an effect.
 *
 * 1. No effect is overtaken. Those of both rows have run: that the node knows the wait shows it for all up to the wait. Of the
 *    workflow's step, only those messages to the node are part of the write that come before its other effects.
 * 2. Effects that have run are dropped in the same write. If another process runs one of them late, an ended wait may receive
 *    a notification; the workflow then passes it on to the next wait (`lateNotification`).
 * 3. Both rows are written, or none. If one of them is outdated, at rest, or not in memory, there are three writes.
 *
 * Called by: `sender.ts`. Calls: `rows.ts` for the turns of both rows, `pairs.ts` to save them.
 */
import { now } from '../../platform/lib/clock.ts';
import { receiverName } from '../actors/mailbox.ts';
import type { NodeMessage, WorkflowMessage } from '../actors/messages.ts';
import { messagesFrom, type NodeRow, nodeStep, nodeStepOfAll } from '../step/node.ts';
import { isQuarantined } from '../step/quarantined.ts';
import type { Effect, PendingEffects, StepResult, StepRow, WorkflowRow } from '../step/row.ts';
import { type Pairs, withoutEffects } from './pairs.ts';
import type { Rows } from './rows.ts';

export interface DeliveryScope {
  workflows: Pick<Rows<WorkflowRow>, 'knownRow' | 'step'>;
  nodes: Pick<Rows<NodeRow>, 'inTurn'>;
  pairs: Pick<Pairs, 'both'>;
  /** Takes a step, which is not saved. */
  step(row: WorkflowRow, message: WorkflowMessage): Promise<StepResult<WorkflowRow>>;
}

/** The rows as they were saved. */
export interface SavedDelivery {
  /** The node after the notification alone, with the answer to it. */
  noticed: NodeRow;
  node: NodeRow;
  before: WorkflowRow;
  workflow: WorkflowRow;
}

type Delivering = Extract<Effect, { kind: 'send-to-workflow' }> & {
  message: Extract<WorkflowMessage, { type: 'work.done' }>;
};

/** A row that was not saved for so long may be at rest, and the attempt would be in vain. */
const MOVING_MS = 5_000;

/** @returns undefined: nothing was saved, and the steps have to be taken one by one */
export async function deliver(
  { workflows, nodes, pairs, step }: DeliveryScope,
  id: string,
  message: NodeMessage,
): Promise<SavedDelivery | undefined> {
  return nodes.inTurn(id, async (node, stored) => {
    const noticed = nodeStep(node, message, now()).row;
    const delivering = deliveringIn(noticed);
    if (delivering === undefined || !isMoving(node) || !node.pendingEffects.every(isPublished)) return undefined;
    const known = workflows.knownRow(delivering.workflow);
    if (known === undefined || !isMoving(known)) return undefined;
    let delivery: SavedDelivery | undefined;
    await workflows.step(delivering.workflow, async (row) => {
      const unchanged = { changed: false, row, replies: [] };
      // If the step fails, it is taken again by itself, where its error is handled.
      const result = hasRun(row, delivering) ? await step(row, delivering.message).catch(() => undefined) : undefined;
      if (result === undefined || !isPlain(result)) return unchanged;
      const sent = sentFirst(result.row, id);
      const messages = sent.map((effect) => effect.message);
      const workflow = { ...result.row, pendingEffects: result.row.pendingEffects.map(unrun(result.row, sent.length)) };
      const taken = nodeStepOfAll(node, [message, ...messages], now()).row;
      const after = withoutEffects(taken, (effect) => isSameDelivery(effect, delivering));
      const save = async (change: { before: WorkflowRow; row: WorkflowRow }) => {
        const isSaved = await pairs.both(change, { before: stored, row: after });
        if (isSaved) delivery = { noticed, node: after, before: change.before, workflow };
        return isSaved;
      };
      return { ...unchanged, joint: { row: workflow, save } };
    });
    return delivery;
  });
}

const isMoving = ({ updatedAt }: StepRow): boolean => now() - Date.parse(updatedAt) < MOVING_MS;

/** Whether nothing but events of the node is left to do, which no workflow waits for. */
const isPublished = ({ effects }: PendingEffects): boolean => effects.every(({ kind }) => kind === 'publish');

/** Whether the effects of the workflow have run: the last one registered the wait, or they are recorded as done. */
function hasRun({ id, pendingEffects }: WorkflowRow, { message }: Delivering): boolean {
  const last = pendingEffects.flatMap(({ effects }) => effects).at(-1);
  if (last === undefined) return true;
  if (last.kind !== 'send-to-node' || last.message.type !== 'await') return false;
  return last.message.receiver === receiverName(id, message.operation);
}

/** @param taken the number of effects of the last step that are taken */
const unrun =
  ({ version }: WorkflowRow, taken: number) =>
  (step: PendingEffects): PendingEffects => ({
    ...step,
    effects: step.version === version ? step.effects.slice(taken) : [],
  });

/** Whether nothing but the effects of the step follows it. */
const isPlain = ({ changed, row, replies }: StepResult<WorkflowRow>): boolean =>
  changed && replies.length === 0 && !isQuarantined(row) && row.error?.code !== 'DEFINITION_GONE';

const effectsOfLast = ({ version, pendingEffects }: StepRow): readonly Effect[] => {
  const last = pendingEffects.at(-1);
  return last?.version === version ? last.effects : [];
};

/** Returns the only message of the node's last step to a workflow that has the node. */
function deliveringIn(node: NodeRow): Delivering | undefined {
  const [only, ...others] = effectsOfLast(node).filter(({ kind }) => kind !== 'publish');
  if (only?.kind !== 'send-to-workflow' || only.message.type !== 'work.done' || others.length > 0) return undefined;
  return only.workflow === node.id ? undefined : (only as Delivering);
}

/** Returns the messages to the node that the workflow's last step sends before it does anything else. */
function sentFirst(row: WorkflowRow, node: string) {
  const effects = effectsOfLast(row);
  const { length } = messagesFrom(effects, 0);
  return effects
    .slice(0, length)
    .flatMap((effect) => (effect.kind === 'send-to-node' && effect.node === node ? [effect] : []));
}

const isSameDelivery = (effect: Effect, { workflow, message }: Delivering): boolean =>
  effect.kind === 'send-to-workflow' &&
  effect.workflow === workflow &&
  effect.message.type === 'work.done' &&
  effect.message.operation === message.operation &&
  effect.message.notification === message.notification;
