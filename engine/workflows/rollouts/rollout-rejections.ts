/** The reasons for which targets of a plan could not be launched now, by the code of the launch itself. */
import type { RolloutPlanRecord } from '../../api-port/rollouts.ts';
import { pause } from '../../platform/lib/pause.ts';
import { byIds, picking } from '../../platform/store/pages.ts';
import { isRejection, type NodewrightError } from '../../vocabulary/errors.ts';
import { nodeBusy } from '../requests/node-claim.ts';
import type { InputScope } from './rollout-input.ts';
import type { StoredRollout, StoredTarget } from './stored-rollout.ts';

export interface PlanScope extends Pick<InputScope, 'records'> {
  /** @throws NodewrightError the rejection of a launch on the node */
  checkLaunch(rollout: StoredRollout, target: StoredTarget): Promise<void>;
}

type PlanRejections = RolloutPlanRecord['rejections'];

const NODES_AT_A_TIME = 20;
/** ms after which the rest is not checked, because a request has to be answered. */
const CHECK_MS = 5_000;

export async function planRejections(
  port: PlanScope,
  rollout: StoredRollout,
  targets: readonly StoredTarget[],
): Promise<PlanRejections> {
  const until = performance.now() + CHECK_MS;
  const rejections: PlanRejections = [];
  const nodes = targets.map(({ node }) => node);
  for (const { id: node, workflow } of await byIds(picking(port.records.storedNodes, ['workflow']), nodes))
    if (workflow !== null) rejections.push({ node, ...codeAndMessage(nodeBusy(workflow)) });
  for (let at = 0; at < targets.length && performance.now() < until; at += NODES_AT_A_TIME) {
    await pause();
    const checked = await Promise.all(
      targets.slice(at, at + NODES_AT_A_TIME).map((target) => planRejection(port, rollout, target)),
    );
    rejections.push(...checked.flatMap((rejection) => rejection ?? []));
  }
  return rejections;
}

async function planRejection(port: PlanScope, rollout: StoredRollout, target: StoredTarget) {
  try {
    await port.checkLaunch(rollout, target);
    return undefined;
  } catch (error) {
    if (!isRejection(error)) throw error;
    return { node: target.node, ...codeAndMessage(error) };
  }
}

const codeAndMessage = ({ code, message }: NodewrightError) => ({ code, message });
