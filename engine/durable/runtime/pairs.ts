/**
 * Steps that change a workflow and its node: the launch, which takes the node, the end, which frees it, and a notification
 * that ends a wait (`delivery.ts`). Where the live port can save both rows together, it does, instead of the effect by which
 * one step causes the other.
 *
 * 1. For a launch and an end, the node's row is not needed: both follow from its holder, which the live port compares
 *    (`HoldChange`). Daemons that launch on one node in turn therefore read nothing of each other.
 * 2. If a step of the workflow came first, or the node has what its next row depends on, the rows are saved one by one,
 *    with the effect.
 * 3. Both rows are written, or none. If the answer is lost, the outcome is unknown, as for any row: a launch that is
 *    repeated finds that it holds the node, and the sweep runs the effects of its workflow.
 */

import { batch } from '../../platform/lib/batch.ts';
import { now } from '../../platform/lib/clock.ts';
import type { NodeMessage } from '../actors/messages.ts';
import type { LiveState, Pair, PairOutcome, RowChange } from '../live/port.ts';
import { type NodeRow, newNodeRow, nodeStep } from '../step/node.ts';
import type { Effect, PendingEffects, StepResult, StepRow, WorkflowRow } from '../step/row.ts';
import type { Rows } from './rows.ts';

type Together = NonNullable<LiveState['together']>;
type EndedMessage = Extract<NodeMessage, { type: 'ended' }>;
type LaunchMessage = Extract<NodeMessage, { type: 'launch' }>;

const BATCH_LIMIT = 200;
/** Launches that find the node absent or at rest, before the rows are saved one by one. */
const TRIES = 3;

export class Pairs {
  readonly #workflows: Rows<WorkflowRow>;
  readonly #nodes: Rows<NodeRow>;
  /** Separate, because launches may wait for replicas. */
  readonly #launch: (pair: Pair) => Promise<PairOutcome>;
  readonly #end: (pair: Pair) => Promise<PairOutcome>;
  readonly #both: (pair: Pair) => Promise<PairOutcome>;

  constructor(workflows: Rows<WorkflowRow>, nodes: Rows<NodeRow>, together: Together) {
    this.#workflows = workflows;
    this.#nodes = nodes;
    this.#launch = batch(together, BATCH_LIMIT);
    this.#end = batch(together, BATCH_LIMIT);
    this.#both = batch(together, BATCH_LIMIT);
  }

  /**
   * @param made the workflow after its first step
   * @returns the row of the node, which the workflow has taken, or which was read a moment ago and is not free; undefined: a
   *   step of the node alone says more
   */
  async launch(message: LaunchMessage, made: WorkflowRow): Promise<{ isTaken: boolean; row: NodeRow } | undefined> {
    const { mailboxId } = made;
    const free = newNodeRow(mailboxId, now());
    const taken = withoutEffects(nodeStep(free, message, now()).row, ({ kind }) => kind === 'create');
    // The actor of a workflow without a node begins with it.
    if (made.id === mailboxId) await this.#nodes.insert(free);
    for (let tries = 0; tries < TRIES; tries += 1) {
      let outcome = 'differs' as PairOutcome;
      const row = await this.#nodes.joinWrite(mailboxId, async () => {
        await this.#workflows.joinWrite(made.id, async () => {
          outcome = await this.#launch({ workflow: { row: made }, node: { holder: '', row: taken } });
          return typeof outcome === 'number' ? made : undefined;
        });
        return ofVersion(taken, outcome);
      });
      if (row !== undefined) return { isTaken: true, row };
      if (outcome === 'absent') await this.#nodes.insert(free);
      if (outcome !== 'differs') continue;
      const found = await this.#nodes.load(mailboxId);
      return found && !isFree(found) ? { isTaken: false, row: found } : undefined;
    }
    return undefined;
  }

  /** @param result of the workflow's last step */
  ending(result: StepResult<WorkflowRow>): StepResult<WorkflowRow> {
    const { id, mailboxId } = result.row;
    const ended = endOf(result.row);
    // The actor of a workflow without a node ends with it.
    if (!result.changed || ended === undefined || id === mailboxId) return result;
    const free = newNodeRow(mailboxId, now());
    const save = async (workflow: RowChange<WorkflowRow>) => {
      const freed = await this.#nodes.joinWrite(mailboxId, async () =>
        ofVersion(free, await this.#end({ workflow, node: { holder: id, row: free } })),
      );
      return freed !== undefined;
    };
    return { ...result, joint: { row: withoutEffects(result.row, (effect) => effect === ended), save } };
  }

  /** @returns false: nothing was saved, because one of the rows is outdated or at rest */
  async both(workflow: RowChange<WorkflowRow>, node: RowChange<NodeRow>): Promise<boolean> {
    const { row } = node;
    const saved = await this.#nodes.joinWrite(row.id, async () =>
      typeof (await this.#both({ workflow, node })) === 'number' ? row : undefined,
    );
    return saved !== undefined;
  }
}

const isFree = ({ workflow, retired }: NodeRow): boolean => workflow === null && !retired;

const ofVersion = (row: NodeRow, outcome: PairOutcome): NodeRow | undefined =>
  typeof outcome === 'number' ? { ...row, version: outcome } : undefined;

type SentEnd = Extract<Effect, { kind: 'send-to-node' }> & { message: EndedMessage };

/** Returns the effect that sends the end to the node, unless other messages to the node come first. */
function endOf({ version, pendingEffects }: WorkflowRow): SentEnd | undefined {
  const sent = pendingEffects.flatMap((step) => step.effects.filter(({ kind }) => kind === 'send-to-node'));
  const [only] = pendingEffects.at(-1)?.version === version && sent.length === 1 ? sent : [];
  return only?.kind === 'send-to-node' && only.message.type === 'ended' ? (only as SentEnd) : undefined;
}

/** Returns the row without some effects of its last step, and without the step if that was all. */
export function withoutEffects<R extends StepRow>(row: R, isDone: (effect: Effect) => boolean): R {
  const steps = row.pendingEffects.map((step) =>
    step.version === row.version ? { ...step, effects: step.effects.filter((effect) => !isDone(effect)) } : step,
  );
  const pendingEffects = steps.filter((step) => step.version !== row.version || !isEmpty(step));
  return { ...row, pendingEffects, pending: pendingEffects.length > 0 };
}

const isEmpty = ({ effects, lines, events }: PendingEffects): boolean =>
  effects.length + lines.length + events.length === 0;
