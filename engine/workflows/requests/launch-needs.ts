/**
 * Rejects the launch of a graph that is bound to fail on its node because one of its tasks needs an obm that the node lacks, or has a
 * job of RackHD that no task does.
 *
 * 1. Only a launch that is certain to fail is rejected. If anything is still open (an obm that an earlier task creates,
 *    computed options, a graph whose name is not known yet, a failure that the graph handles), it is allowed.
 * 2. Graphs that a task runs on the same node are checked too.
 */

import { before, begins, failsWithout, neededBy, optionOf } from '../../library/forms/needs.ts';
import { createsPollers, missingPollers } from '../../library/forms/rackhd/wanted-pollers.ts';
import type { Graph } from '../../library/types.ts';
import { NodewrightError, type Violation, violationList } from '../../vocabulary/errors.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import type { InventoryPort } from './inventory-port.ts';
import { type LaunchTree, LaunchTrees, labelsOf } from './launch-tree.ts';
import type { NodeGraphs } from './node-graphs.ts';

/** Limit for one graph: with more tasks that create obms, their order is ignored. */
const PROVIDERS = 20;

/**
 * Rejects a graph that is certain to begin a label without a job, itself or in a graph that it runs: that fails its workflow,
 * whatever waits for it.
 * @throws NodewrightError JOB_MISSING
 */
function checkJobs(tree: LaunchTree): void {
  const violations = jobsMissing(tree);
  if (violations.length === 0) return;
  const message = `${tree.graph.name} begins a label without a job: ${violationList(violations)}`;
  throw new NodewrightError('JOB_MISSING', message, { violations });
}

/** @returns empty if the graph may end without the jobs that it lacks */
function jobsMissing({ graph, request, children }: LaunchTree): Violation[] {
  // A machine may go another way when a task, or a graph that it runs, has failed.
  const isList = graph.kind === 'list';
  const byLabel = new Map<string, Violation[]>();
  for (const one of labelsOf({ graph })) {
    const { label, task } = one;
    const child = isList ? (children.get(label) ?? null) : null;
    const pollers = isList && createsPollers(task) ? optionOf(graph, one, request, 'pollers') : undefined;
    const missing = task.missing ?? missingPollers(task, pollers);
    const own = missing && [{ path: '', message: `found ${missing.name}: ${missing.why}` }];
    const violations = own ?? (child === null ? [] : jobsMissing(child));
    if (violations.length > 0) byLabel.set(label, violations);
  }
  if (!begins(graph, new Set(byLabel.keys()))) return [];
  return [...byLabel].flatMap(([label, violations]) =>
    violations.map(({ path, message }) => ({ path: ['tasks', label, path].filter(Boolean).join('.'), message })),
  );
}

/** @throws NodewrightError JOB_MISSING, OBM_MISSING */
export async function checkNeeds(
  graph: Graph,
  { node, options }: CheckedLaunch,
  graphs: NodeGraphs,
  { obms }: Pick<InventoryPort, 'obms'>,
): Promise<void> {
  const tree = await new LaunchTrees(node, graphs).of(graph, options);
  checkJobs(tree);
  if (!needsObm(tree)) return;
  const has = node === null ? [] : await obms.services(node);
  const [first] = lackingOf(tree, new Set(has));
  if (first !== undefined) throw missingNeed(graph, node, has, first);
}

const needsObm = (tree: LaunchTree): boolean =>
  labelsOf(tree).some(({ task }) => task.needs.length > 0) ||
  [...tree.children.values()].some((child) => child !== null && needsObm(child));

interface UnmetNeed {
  label: string;
  /** A service, or `any`. */
  obm: string;
}

/** Provided by a graph that is not known yet. */
const ANYTHING = '*';

/** Returns the services of the obms that a tree may create. */
const providedBy = (tree: LaunchTree | null): string[] =>
  tree === null
    ? [ANYTHING]
    : labelsOf(tree).flatMap((label) => [
        ...label.task.provides.map(({ obm }): string => obm),
        ...providedByChild(tree, label.label),
      ]);

const providedByChild = ({ children }: LaunchTree, label: string): string[] => {
  const child = children.get(label);
  return child === undefined ? [] : providedBy(child);
};

/** @param has services of the obms that exist when the graph starts @returns empty when the graph may succeed */
function lackingOf(tree: LaunchTree, has: ReadonlySet<string>): UnmetNeed[] {
  const { graph, request, children } = tree;
  const providers = labelsOf(tree)
    .map(({ label, task }) => ({
      label,
      obms: [...task.provides.map(({ obm }): string => obm), ...providedByChild(tree, label)],
    }))
    .filter(({ obms }) => obms.length > 0);
  const earlier = providers.map(({ label }) =>
    providers.length > PROVIDERS ? new Set<string>() : before(graph, label),
  );
  /** Returns the services that may exist when the label starts. */
  const mayHave = (label: string): ReadonlySet<string> => {
    const others = providers.filter((provider, at) => provider.label !== label && !earlier[at]?.has(label));
    return new Set([...has, ...others.flatMap(({ obms }) => obms)]);
  };
  const lacking = labelsOf(tree).flatMap((label): UnmetNeed[] => {
    const child = children.get(label.label) ?? null;
    if (label.task.needs.length === 0 && child === null) return [];
    const there = mayHave(label.label);
    if (there.has(ANYTHING)) return [];
    const isMissing = (obm: string) => (obm === 'any' ? there.size === 0 : !there.has(obm));
    const own = neededBy(graph, label, request).filter(isMissing);
    const below = child === null ? [] : lackingOf(child, there).map(({ obm }) => obm);
    return [...own, ...below].map((obm) => ({ label: label.label, obm }));
  });
  return failsWithout(graph, new Set(lacking.map(({ label }) => label))) ? lacking : [];
}

function missingNeed({ name }: Graph, node: string | null, has: readonly string[], { label, obm }: UnmetNeed) {
  const needed = obm === 'any' ? 'an obm' : `an obm of ${obm}`;
  const found = has.length === 0 ? 'none' : `only ${has.join(', ')}`;
  const advice =
    node === null
      ? 'but the launch names no node; launch it on a node that has one'
      : `but the node ${node} has ${found}; put one to /nodes/${node}/obm, then launch it again`;
  const violations = [
    { path: 'node', message: `found ${node === null ? 'no node' : `${found} as obm`}; expected ${needed}` },
  ];
  return new NodewrightError('OBM_MISSING', `${name} cannot succeed: its task ${label} needs ${needed}, ${advice}`, {
    violations,
  });
}
