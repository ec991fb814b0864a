/** The state nodes of a machine: which of them a transition leaves and enters, as SCXML and XState say. */
import type { AnyStateNode } from 'xstate';

export const enclosingNode = (node: AnyStateNode): AnyStateNode | undefined => node.parent as AnyStateNode | undefined;

/** Returns the nodes from the root to the node itself. */
export function pathTo(node: AnyStateNode): AnyStateNode[] {
  const parent = enclosingNode(node);
  return parent === undefined ? [node] : [...pathTo(parent), node];
}

/** Returns the ids of their invokes. */
export const invokesIn = (nodes: readonly AnyStateNode[]): Set<string> =>
  new Set(nodes.flatMap(({ invoke }) => invoke.map(({ id }) => id)));

/** Returns the state that is active after the node was entered by default. */
export function leafOf(node: AnyStateNode): AnyStateNode {
  if (node.type !== 'compound') return node;
  const [first] = node.initial.target as readonly AnyStateNode[];
  return leafOf(first as AnyStateNode);
}

function childAt(node: AnyStateNode, key: string, below: unknown): AnyStateNode | undefined {
  const child = node.states[key] as AnyStateNode | undefined;
  return child && leafAt(child, below);
}

/** Returns the state of a stored state value; undefined: the machine has no such state. */
export function leafAt(node: AnyStateNode, value: unknown): AnyStateNode | undefined {
  if (node.type !== 'compound' || value === undefined) return leafOf(node);
  if (typeof value === 'string') return childAt(node, value, undefined);
  for (const key in value) return childAt(node, key, (value as Record<string, unknown>)[key]);
  return undefined;
}

/** @param node any but the root */
export function stateValueOf(node: AnyStateNode): Value {
  const [, ...keys] = pathTo(node).map(({ key }) => key);
  return (
    keys.reduceRight<Value | undefined>((below, key) => (below === undefined ? key : { [key]: below }), undefined) ?? {}
  );
}
type Value = string | { [key: string]: Value };

/** @param parent undefined: above the root */
export function isUnder(node: AnyStateNode, parent: AnyStateNode | undefined): boolean {
  const above = enclosingNode(node);
  return above === parent || (above !== undefined && isUnder(above, parent));
}

/** Returns the innermost state that a transition stays in; undefined: it leaves the root too. */
export function domainOf(source: AnyStateNode, target: AnyStateNode, reenter: boolean): AnyStateNode | undefined {
  if (!reenter && (target === source || isUnder(target, source))) return source;
  const around = pathTo(target)
    .slice(0, -1)
    .findLast((node) => isUnder(source, node));
  return around ?? (reenter ? undefined : pathTo(source)[0]);
}

/** Returns the node's transitions for an event type: the exact ones, then the longest wildcards first. */
export function transitionsOn(node: AnyStateNode, type: string): StateTransition[] {
  const wild = [...node.transitions.keys()]
    .filter((descriptor) => descriptor !== type && isMatch(type, descriptor))
    .sort((a, b) => b.length - a.length);
  return [type, ...wild].flatMap((descriptor) => node.transitions.get(descriptor) ?? []);
}
export type StateTransition = NonNullable<AnyStateNode['always']>[number];

const isMatch = (type: string, descriptor: string): boolean =>
  descriptor === '*' || (descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1)));
