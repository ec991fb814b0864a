/**
 * Steps that change a workflow and its node: the launch, which takes the node, and the end, which frees it. Where the live
 * port can save both rows together, it does, instead of the effect by which one step causes the other. If another step
 * of one of the two came first, or their effects are still running, the rows are saved one by one, with the effect.
 */

import { batch } from '../../platform/lib/batch.ts';
import type { NodeMessage } from '../actors/messages.ts';
import type { LiveState, Pair, RowChange } from '../live/port.ts';
import { type NodeRow, nodeStep } from '../step/node.ts';
import type { Effect, PendingEffects, StepResult, StepRow, WorkflowRow } from '../step/row.ts';
import type { Rows } from './rows.ts';

type Together = NonNullable<LiveState['together']>;
type EndedMessage = Extract<NodeMessage, { type: 'ended' }>;

const BATCH_LIMIT = 200;

export class Pairs {
  readonly #workflows: Rows<WorkflowRow>;
  readonly #nodes: Rows<NodeRow>;
  /** Separate, because launches may wait for replicas. */
  readonly #launch: (pair: Pair) => Promise<boolean>;
  readonly #end: (pair: Pair) => Promise<boolean>;

  constructor(workflows: Rows<WorkflowRow>, nodes: Rows<NodeRow>, together: Together) {
    this.#workflows = workflows;
    this.#nodes = nodes;
    this.#launch = batch(together, BATCH_LIMIT);
    this.#end = batch(together, BATCH_LIMIT);
  }

  /** @param result of the node's step, which takes the node. @param made the workflow after its first step */
  launching(result: StepResult<NodeRow>, made: WorkflowRow): StepResult<NodeRow> {
    const row = without(result.row, ({ kind }) => kind === 'create');
    if (row.pending) return result;
    const save = (node: RowChange<NodeRow>) => {
      const workflow = { row: made };
      return this.#workflows.joinWrite(workflow, () => this.#launch({ workflow, node }));
    };
    return { ...result, joint: { row, save, launched: made } };
  }

  /** @param result of the workflow's last step */
  ending(result: StepResult<WorkflowRow>, now: number): StepResult<WorkflowRow> {
    const { id, mailboxId } = result.row;
    const ended = endOf(result.row);
    // The actor of a workflow without a node ends with it.
    const known = id === mailboxId ? undefined : this.#nodes.knownWrite(mailboxId);
    if (!result.changed || ended === undefined || known === undefined) return result;
    const node = nodeStep(known.row, ended.message, now);
    if (!node.changed || node.row.pending) return result;
    const freed = { before: known.before, row: node.row };
    const save = (workflow: RowChange<WorkflowRow>) =>
      this.#nodes.joinWrite(freed, () => this.#end({ workflow, node: freed }));
    return { ...result, joint: { row: without(result.row, (effect) => effect === ended), save } };
  }
}

type SentEnd = Extract<Effect, { kind: 'send-to-node' }> & { message: EndedMessage };

/** Returns the effect that sends the end to the node, unless other messages to the node come first. */
function endOf({ version, pendingEffects }: WorkflowRow): SentEnd | undefined {
  const sent = pendingEffects.flatMap((step) => step.effects.filter(({ kind }) => kind === 'send-to-node'));
  const [only] = pendingEffects.at(-1)?.version === version && sent.length === 1 ? sent : [];
  return only?.kind === 'send-to-node' && only.message.type === 'ended' ? (only as SentEnd) : undefined;
}

/** Returns the row without some effects of its last step, and without the step if that was all. */
function without<R extends StepRow>(row: R, isDone: (effect: Effect) => boolean): R {
  const steps = row.pendingEffects.map((step) =>
    step.version === row.version ? { ...step, effects: step.effects.filter((effect) => !isDone(effect)) } : step,
  );
  const pendingEffects = steps.filter((step) => step.version !== row.version || !isEmpty(step));
  return { ...row, pendingEffects, pending: pendingEffects.length > 0 };
}

const isEmpty = ({ effects, lines, events }: PendingEffects): boolean =>
  effects.length + lines.length + events.length === 0;
