/** The children of a workflow by the labels of the tasks that run them. */
import { prefixOf } from '../../../client/graph-layout.ts';

interface ChildWorkflow {
  id: string;
  parent: string | null;
  parentLabel: string | null;
}

/** Deeper ones by `label/label`. Of several that one task has launched, the newest. @param all the oldest first */
export function childrenByLabel<T extends ChildWorkflow>(id: string, all: readonly T[], prefix = ''): Map<string, T> {
  const direct = all.flatMap((child): [string, T][] =>
    child.parent === id && child.parentLabel !== null ? [[prefix + child.parentLabel, child]] : [],
  );
  const newest = new Map(direct);
  return new Map(
    [...newest].flatMap(([label, child]) => [
      [label, child] as const,
      ...childrenByLabel(child.id, all, prefixOf(label)),
    ]),
  );
}

/** Those that are shown: it is in the set, and so are the tasks around it. */
export const unfoldedIn = <T>(children: ReadonlyMap<string, T>, labels: ReadonlySet<string>): [string, T][] =>
  [...children].filter(
    ([label]) =>
      labels.has(label) &&
      [...children.keys()].every((outer) => !label.startsWith(prefixOf(outer)) || labels.has(outer)),
  );
