/** The invokes of a machine, and the label of each. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { Rejection, RejectionList } from '../options/rejection.ts';
import { configPath, nodesOf } from './machine-nodes.ts';

export interface Invoke {
  src: string;
  id: string;
  /** The id that its author gave; undefined: XState or an editor made it. */
  given: string | undefined;
  input: unknown;
  /** The state that invokes it. */
  node: AnyStateNode;
}

/** An invoke with its label. */
export interface LabelledInvoke extends Invoke {
  label: string;
}

/** @throws Rejection for logic inside an invoke */
export function invokesOf(machine: AnyStateMachine): Invoke[] {
  const rejections = new RejectionList();
  const invokes = nodesOf(machine).flatMap((node) =>
    node.invoke.flatMap(({ src, id, input }, index): Invoke[] => {
      if (typeof src === 'string' && !src.startsWith('xstate.invoke.')) {
        return [{ src, id, given: isGenerated(id, node, index) ? undefined : id, input, node }];
      }
      const place = `${configPath(node)}.invoke`;
      const [what, expected] = [`logic inside an invoke of state ${node.id}`, 'a label: side effects belong in a task'];
      rejections.try(() => {
        throw new Rejection(what, expected, { place });
      });
      return [];
    }),
  );
  rejections.throw('a machine');
  return invokes;
}

/** The ids that XState and Stately's editor make, such as `0.Graph.X.a`, `x.a:invocation[0]` and `invoke-m7wb9`. */
const isGenerated = (id: string, node: AnyStateNode, index: number): boolean =>
  id === `${index}.${node.id}` || /:invocation\[\d+\]$|^invoke-[a-z0-9]{5}$|^inline:/.test(id);

/** @throws Rejection for a label in two states */
export function labelledOnce(invokes: readonly LabelledInvoke[]): LabelledInvoke[] {
  const places = new Map<string, string>();
  const rejections = new RejectionList();
  for (const { label, node } of invokes) {
    const other = places.get(label);
    const where = { place: `${configPath(node)}.invoke` };
    rejections.try(() => {
      if (other !== undefined)
        throw new Rejection(`label '${label}' in states ${other} and ${node.id}`, 'one state per label', where);
    });
    places.set(label, node.id);
  }
  rejections.throw('a machine');
  return [...invokes];
}

/**
 * The labels of a machine without a list of them: the ids that its author gave, otherwise each `src`. A `src` of several
 * states has one label for each: `<src>-<state>`.
 */
export function labelsByState(invokes: readonly Invoke[]): LabelledInvoke[] {
  const sharing = new Map<string, Invoke[]>();
  for (const invoke of invokes) {
    if (invoke.given === undefined) sharing.set(invoke.src, [...(sharing.get(invoke.src) ?? []), invoke]);
  }
  return invokes.map((invoke) => {
    const others = sharing.get(invoke.src) ?? [];
    const label = invoke.given ?? (others.length > 1 ? `${invoke.src}-${stateIn(others, invoke)}` : invoke.src);
    return { ...invoke, label };
  });
}

/** Returns the key of its state; its keys from the root if other states have the same. */
function stateIn(others: readonly Invoke[], { node }: Invoke): string {
  const isOnly = others.filter((other) => other.node.key === node.key).length === 1;
  return wordsOf(isOnly ? node.key : node.path.join('-'));
}

/** Returns the name of a state for a label. */
export const wordsOf = (state: string): string => state.replace(/[^\p{L}\p{N}]+/gu, '-');
