/**
 * Launches the graph of a rule, or adds its hold, on the node of an event.
 *
 * 1. The workflow or the hold has the id of the run, and is begun once under it: a repetition after a crash changes nothing.
 * 2. A rule keeps off a node that has a hold of any kind, or an active workflow. The claim of the node says so again, for launches.
 * 3. A rejection (4xx) is an outcome. Any other error leaves the run pending.
 */
import type { WorkflowRow } from '../../durable/step/row.ts';
import type { HoldRequests } from '../../inventory/holds/hold-requests.ts';
import { isoOf } from '../../platform/lib/clock.ts';
import { isRejection, type NodewrightError } from '../../vocabulary/errors.ts';
import { isActive, type RuleRunReason } from '../../vocabulary/states.ts';
import { MINUTE_MS } from '../../vocabulary/units.ts';
import type { LaunchRequests } from '../requests/launch-requests.ts';
import type { EventOnNode } from './rule-matching.ts';
import type { StoredRule, StoredRuleRun } from './stored-rule.ts';

export interface RuleEffectsScope {
  launches: Pick<LaunchRequests, 'launchOnce'>;
  holds: Pick<HoldRequests, 'on' | 'add'>;
  /** Returns those of the ids that nodes have. */
  existingIds(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the workflow that holds the node. */
  holderOf(node: string): Promise<Pick<WorkflowRow, 'id'> | undefined>;
  workflow(id: string): Promise<WorkflowRow | undefined>;
}

type RunOutcome = Pick<StoredRuleRun, 'status' | 'workflow' | 'hold' | 'reason' | 'message'>;
type ActingRule = Pick<StoredRule, 'id' | 'launch' | 'hold' | 'createdBy'>;

export const noAct = (reason: RuleRunReason, message: string) => ({ status: 'refused', reason, message }) as const;

export class RuleEffects {
  readonly #port: RuleEffectsScope;

  constructor(port: RuleEffectsScope) {
    this.#port = port;
  }

  /** @param last the last act of the rule on the node @returns why the rule keeps off the node; undefined: it is free */
  async obstacle({ nodeId, createdAt }: EventOnNode, last: StoredRuleRun | undefined): Promise<RunOutcome | undefined> {
    const { existingIds, holds, holderOf } = this.#port;
    if (!(await existingIds([nodeId])).has(nodeId)) return noAct('gone', 'the node was deleted');
    const [hold] = (await holds.on(nodeId)).holds;
    if (hold !== undefined) return noAct('held', `the node has the hold ${hold.id} (${hold.kind}): ${hold.reason}`);
    const holder = await holderOf(nodeId);
    if (holder !== undefined) return noAct('busy', `the workflow ${holder.id} is active on the node`);
    if (last === undefined || !(await this.#ran(last, createdAt))) return undefined;
    return noAct('busy', `the workflow ${last.id} of the rule ran on the node when it happened`);
  }

  /** Whether the workflow of a run was active at a time. */
  async #ran(run: StoredRuleRun, at: string): Promise<boolean> {
    const row = run.workflow === undefined ? undefined : await this.#port.workflow(run.workflow);
    if (row === undefined || at < row.createdAt) return false;
    return isActive(row.status) || at <= (row.finishedAt ?? '');
  }

  /** Whether the run has begun its workflow or hold. */
  async hasBegun({ id, node }: StoredRuleRun): Promise<boolean> {
    if ((await this.#port.workflow(id)) !== undefined) return true;
    return (await this.#port.holds.on(node)).holds.some((hold) => hold.id === id);
  }

  async begin(rule: ActingRule, run: StoredRuleRun): Promise<RunOutcome> {
    try {
      return rule.launch === null ? await this.#hold(rule, run) : await this.#launch(rule, run);
    } catch (error) {
      if (!isRejection(error)) throw error;
      return noAct(reasonOf(error), `${error.code}: ${error.message}`);
    }
  }

  async #launch({ id: rule, launch, createdBy }: ActingRule, { id, node }: StoredRuleRun): Promise<RunOutcome> {
    const { name = '', options = {} } = launch ?? {};
    const operator = createdBy === null ? {} : { operator: createdBy };
    await this.#port.launches.launchOnce(id, { name, options, nodeId: node, rule, isEncrypted: true, ...operator });
    return { status: 'started', workflow: id };
  }

  async #hold({ hold, createdBy }: ActingRule, { id, node, createdAt }: StoredRuleRun): Promise<RunOutcome> {
    const { kind = 'fault', reason = '', forMinutes } = hold ?? {};
    const until = forMinutes === undefined ? null : isoOf(Date.parse(createdAt) + forMinutes * MINUTE_MS);
    await this.#port.holds.add(node, { kind, reason, until }, createdBy ?? undefined, id);
    return { status: 'held', hold: id };
  }
}

function reasonOf({ code }: NodewrightError): RuleRunReason {
  if (code === 'NODE_BUSY') return 'busy';
  return code === 'NODE_HELD' ? 'held' : 'rejected';
}
