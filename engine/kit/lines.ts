/**
 * The lines of places in a definition's file. In JSON a place is found exactly. In code its keys are looked for one after
 * the other, as they are written in the configuration of a machine; a key that is computed is not found.
 */
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';

/** @param place such as `states.a.invoke`, or `tasks.0.waitOn.b` @returns the line, from 1; undefined: not found */
export function lineOfPlace(file: string, text: string, place: string): number | undefined {
  if (place === '') return undefined;
  const offset = file.endsWith('.json') ? offsetInJson(text, place) : offsetInCode(text, place);
  return offset === undefined ? undefined : text.slice(0, offset).split('\n').length;
}

/** Returns the line of a text in quotes that follows a place in code; undefined: it is not there. */
export function lineOfValue(file: string, text: string, place: string, value: string | undefined): number | undefined {
  const from = file.endsWith('.json') ? undefined : offsetInCode(text, place);
  if (from === undefined || value === undefined) return undefined;
  const positions = ["'", '"', '`'].map((quote) => text.indexOf(quote + value + quote, from)).filter((at) => at !== -1);
  return positions.length === 0 ? undefined : text.slice(0, Math.min(...positions)).split('\n').length;
}

/** A file may have only the machine of the definition. */
function offsetInJson(text: string, place: string): number | undefined {
  const root = parseTree(text);
  if (root === undefined) return undefined;
  return nodeAt(root, place)?.offset ?? nodeAt(root, place.replace(/^machine\.?/, ''))?.offset;
}

/** Returns the innermost node of the place that exists: a missing value has none. Names may contain dots. */
function nodeAt(root: Node, place: string): Node | undefined {
  let at: Node = root;
  let remainder = place;
  while (remainder !== '') {
    const child = childrenOf(at).find(([key]) => remainder === key || remainder.startsWith(`${key}.`));
    if (child === undefined) break;
    at = child[1];
    remainder = remainder.slice(child[0].length + 1);
  }
  return at === root && place !== '' ? undefined : at;
}

/** The longest names first: one of them may begin with another and a dot. */
function childrenOf(node: Node): [key: string, value: Node][] {
  if (node.type === 'array') return (node.children ?? []).map((child, index) => [String(index), child]);
  if (node.type !== 'object') return [];
  const keys = (node.children ?? []).map(({ children }) => String(children?.[0]?.value));
  return keys
    .sort((one, other) => other.length - one.length)
    .flatMap((key) => {
      const value = findNodeAtLocation(node, [key]);
      return value === undefined ? [] : [[key, value] as [string, Node]];
    });
}

function offsetInCode(text: string, place: string): number | undefined {
  let offset: number | undefined;
  let from = 0;
  for (const key of place.split('.')) {
    const escaped = key.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const match = new RegExp(`(?<![\\w$])(['"\`]?)${escaped}\\1\\s*[:=]`).exec(text.slice(from));
    if (match === null) break;
    offset = from + match.index;
    from = offset + match[0].length;
  }
  return offset;
}
