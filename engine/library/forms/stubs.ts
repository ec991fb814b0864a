/**
 * Stubs: the functions that an editor writes for actions and guards that are only drawn. An action with an empty body
 * has no side effects, so it is replaced by one that does nothing; any other function as an action is rejected.
 */
import { type AnyStateMachine, type AnyStateNode, assign } from 'xstate';
import { nameOfGuard, nodesOf, simpleGuards, transitionsOf } from './machine-nodes.ts';

/** Instead of a stub. */
const nothing = assign({});

/** Returns the machine with its stubs replaced. */
export function withoutStubs(machine: AnyStateMachine): AnyStateMachine {
  const actions: object = machine.implementations.actions;
  const stubs = Object.entries(actions).filter(([, action]) => isEmpty(action));
  return stubs.length === 0
    ? machine
    : machine.provide({ actions: Object.fromEntries(stubs.map(([name]) => [name, nothing])) });
}

/** Returns the names of the actions that were stubs. */
export const stubsIn = ({ implementations }: AnyStateMachine): string[] =>
  Object.entries(implementations.actions as object)
    .filter(([, action]) => action === nothing)
    .map(([name]) => name);

/** Returns the names of the guards that are `return true`, as an editor writes them. */
export const drawnGuards = ({ implementations }: AnyStateMachine): string[] =>
  Object.entries(implementations.guards as object)
    .filter(([, guard]) => /^(return true|return !0);?$/.test(bodyOf(guard) ?? ''))
    .map(([name]) => name);

/** Returns the states with a guard that returns a promise: XState takes it as true. */
export const asyncGuards = (machine: AnyStateMachine): AnyStateNode[] => {
  const named: Record<string, unknown> = machine.implementations.guards;
  const isAsync = (guard: unknown) => isAsyncFunction(named[nameOfGuard(guard) ?? ''] ?? guard);
  return nodesOf(machine).filter((node) =>
    transitionsOf(node)
      .flatMap(({ guard }) => simpleGuards(guard))
      .some(isAsync),
  );
};

const isAsyncFunction = (value: unknown): boolean =>
  typeof value === 'function' && value.constructor.name === 'AsyncFunction';

const isEmpty = (action: unknown): boolean => bodyOf(action) === '';

/** Parameters without default values, which would be code. */
const FUNCTION = /^(?:async\s+)?(?:function\b)?\s*[\w$]*\s*\(([^()=]*)\)\s*(?:=>\s*)?\{([\s\S]*)\}$/;

/** Returns the body of a function without comments; undefined if its text does not show it. */
function bodyOf(value: unknown): string | undefined {
  // The actions of XState are functions with properties.
  if (typeof value !== 'function' || Object.keys(value).length > 0) return undefined;
  const text = Function.prototype.toString.call(value).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return FUNCTION.exec(text)?.[2]?.trim();
}
