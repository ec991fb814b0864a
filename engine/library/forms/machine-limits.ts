/**
 * Limits of machines, in every form of a definition: the time and memory of a check, of a launch and of a simulation grow
 * with them. The largest included graph has a tenth of either.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { Rejection } from '../options/rejection.ts';
import { nodesOf, transitionsOf } from './machine-nodes.ts';

export const STATES_LIMIT = 500;
/** Each target counts, and each timer; in a list of tasks, each entry of a `waitOn`. */
export const TRANSITIONS_LIMIT = 2_000;

/**
 * States, each counted for every parallel state around it. XState compares all of them when it enters one: 450 states in 18
 * levels of parallel states take 1.5 s.
 */
const REGIONS_LIMIT = 1_000;

/** @throws Rejection */
export function checkSize(machine: AnyStateMachine): void {
  const nodes = nodesOf(machine);
  const transitions = nodes.reduce((sum, node) => sum + targetsOf(node), 0);
  check(nodes.length - 1, 'states', STATES_LIMIT);
  check(transitions, 'transitions', TRANSITIONS_LIMIT);
  const regions = nodes.reduce((sum, node) => sum + parallelAround(node), 0);
  if (regions > REGIONS_LIMIT) throw new Rejection('parallel states in too many levels', 'fewer, with fewer states');
}

function check(count: number, what: string, limit: number): void {
  if (count > limit) throw new Rejection(`${count} ${what}`, `at most ${limit}; a child graph may have its own`);
}

const targetsOf = (node: AnyStateNode): number =>
  transitionsOf(node).reduce((sum, { target }) => sum + Math.max(1, target?.length ?? 0), 0);

function parallelAround(node: AnyStateNode): number {
  let count = 0;
  for (let up: AnyStateNode | undefined = node.parent; up !== undefined; up = up.parent)
    if (up.type === 'parallel') count += 1;
  return count;
}
