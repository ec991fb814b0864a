/** Checks that the guards and delays that a machine names exist: XState would fail when it needs a guard, and wait 0 ms for a delay. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { didYouMean } from '../../vocabulary/nearest.ts';
import { Rejection, RejectionList } from '../options/rejection.ts';
import { actionsOf, configPath, nameOfGuard, nodesOf, simpleGuards, transitionsOf } from './machine-nodes.ts';

/** @throws Rejection with each guard and delay that does not exist */
export function checkReferences(machine: AnyStateMachine, what: 'a graph' | 'a task'): void {
  const rejections = new RejectionList();
  const { guards, delays } = machine.implementations;
  const check = (node: AnyStateNode, kind: keyof typeof expectedOf, name: string, implementations: object) =>
    rejections.try(() => checkName(node, kind, name, Object.keys(implementations)));
  for (const node of nodesOf(machine)) {
    const guardsOfNode = transitionsOf(node).flatMap(({ guard }) => simpleGuards(guard).map(nameOfGuard));
    for (const name of new Set(guardsOfNode)) if (name !== undefined) check(node, 'guard', name, guards);
    // A timer of a state raises its event, and is one of these actions.
    for (const name of new Set(actionsOf(node).flatMap(delayName))) check(node, 'delay', name, delays);
  }
  rejections.throw(what);
}

const expectedOf = { guard: 'a function, or a guard of setup', delay: 'a time in ms, or a delay of setup' };

function checkName(node: AnyStateNode, kind: keyof typeof expectedOf, name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  const existing = names.length === 0 ? '' : `: ${names.slice(0, 20).join(', ')}${didYouMean(name, names)}`;
  throw new Rejection(`${kind} '${name}' in state ${node.id}, which does not exist`, `${expectedOf[kind]}${existing}`, {
    place: configPath(node),
  });
}

function delayName(action: unknown): string[] {
  const delay: unknown = typeof action === 'function' ? Reflect.get(action, 'delay') : undefined;
  return typeof delay === 'string' ? [delay] : [];
}
