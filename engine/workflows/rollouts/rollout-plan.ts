/**
 * The plan of a rollout: which nodes it has, in which order, and in which phase each of them is. Pure: the same nodes, request and seed
 * give the same plan, in whatever order the store returns the nodes. It is computed once and frozen.
 */
import { createHash } from 'node:crypto';
import { type PhaseSize, RANDOM_ORDER, type RolloutPlanRequest } from '../../api-port/rollouts.ts';
import { invalidInput } from '../../vocabulary/errors.ts';
import type { Parents } from './rollout-state.ts';

/** A node that may become a target. */
export interface PlannableNode {
  id: string;
  parents: Parents;
}

export interface PlannedTarget {
  node: string;
  phase: number;
  /** Its place in the rollout, from 0. */
  sequence: number;
}

/** @throws NodewrightError INVALID if no target is left, or if the phases do not fit the targets */
export function planTargets(
  nodes: readonly PlannableNode[],
  { seed, sample, order, phases }: RolloutPlanRequest & { seed: number },
): { targets: PlannedTarget[]; sizes: number[] } {
  const chosen = sample === undefined ? nodes : sampleOf(nodes, sample.percent, seed);
  if (chosen.length === 0) throw invalidInput('targets', 'select no node; expected at least one');
  const ordered = orderOf(chosen, order.by ?? RANDOM_ORDER, seed);
  const sizes = phaseSizes(
    phases.map(({ size }) => size),
    chosen.length,
  );
  const ends = sizes.map((_, index) => sizes.slice(0, index + 1).reduce((sum, size) => sum + size, 0));
  const phaseAt = (sequence: number) => ends.findIndex((end) => sequence < end);
  return {
    targets: ordered.map(({ id: node }, sequence) => ({ node, phase: phaseAt(sequence), sequence })),
    sizes,
  };
}

/** Returns the share of the nodes, at least one of them. */
const sampleOf = (nodes: readonly PlannableNode[], percent: number, seed: number): PlannableNode[] =>
  shuffle(nodes, ({ id }) => id, seed, 'sample').slice(0, Math.max(1, Math.round((nodes.length * percent) / 100)));

/** The nodes of one parent come after each other; a node without one stands alone. */
function orderOf(nodes: readonly PlannableNode[], relation: string, seed: number): PlannableNode[] {
  const all = shuffle(nodes, ({ id }) => id, seed, 'order');
  if (relation === RANDOM_ORDER) return all;
  const groups = new Map<string, PlannableNode[]>();
  for (const node of all) {
    const [parent = node.id] = [...(node.parents[relation] ?? [])].sort();
    const members = groups.get(parent) ?? [];
    groups.set(parent, members);
    members.push(node);
  }
  return shuffle([...groups], ([parent]) => parent, seed, 'groups').flatMap(([, members]) => members);
}

/** Orders by a digest of seed and key: a node that is added or removed changes nothing in the order of the others. */
function shuffle<T>(all: readonly T[], keyOf: (one: T) => string, seed: number, purpose: string): T[] {
  const keyed = all.map((one) => ({
    one,
    digest: createHash('sha256')
      .update(`${seed} ${purpose} ${keyOf(one)}`)
      .digest('hex'),
  }));
  return keyed.sort((a, b) => (a.digest < b.digest ? -1 : 1)).map(({ one }) => one);
}

/**
 * Returns the number of targets of each phase. Ends of phases are rounded, not sizes, so that the errors of several percentages do not
 * add up. @throws NodewrightError INVALID naming `phases`
 */
export function phaseSizes(sizes: readonly PhaseSize[], total: number): number[] {
  let exact = 0;
  let end = 0;
  const counts = sizes.map((size, index) => {
    if (size === 'rest' && index < sizes.length - 1)
      throw invalidInput(`phases.${index}.size`, 'is "rest"; expected it in the last phase only');
    exact = size === 'rest' ? total : exact + exactSize(size, total);
    const begin = end;
    end = Math.min(total, Math.round(exact));
    if (end === begin)
      throw invalidInput(
        `phases.${index}`,
        `would get no target: ${total - begin} of ${total} are left, and its size is ${size}`,
      );
    return end - begin;
  });
  if (end < total)
    throw invalidInput('phases', `take ${end} of ${total} targets; expected all, for example by a last phase "rest"`);
  return counts;
}

const exactSize = (size: number | string, total: number): number =>
  typeof size === 'number' ? size : (Number(size.slice(0, -1)) * total) / 100;
