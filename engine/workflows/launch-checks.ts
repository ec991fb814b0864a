/**
 * Runs the `checkLaunch` of each task before a workflow starts; a check sees the
 * task's options and the node's catalogs.
 */
import { NodewrightError, type Violation } from '../define/errors.ts';
import { withTimeout } from '../define/with-timeout.ts';
import { invalidOptions, merged } from '../library/options.ts';
import { provenanceOf } from '../library/provenance.ts';
import type { Graph } from '../library/types.ts';
import type { Vault } from '../secrets/vault.ts';
import { CHECK_LAUNCH } from '../watchdog/marker.ts';
import type { Watchdog } from '../watchdog/watchdog.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import type { InventoryPort } from './inventory-port.ts';

/** Tasks are untrusted code: a task that does not answer must not block the launch. */
const LIMIT_MS = 5_000;

/** @throws NodewrightError INVALID_OPTIONS with a violation for each path `options.<label>.<field>` */
export async function checkLaunch(
  graph: Graph,
  { id, node, options }: CheckedLaunch,
  { catalogs }: Pick<InventoryPort, 'catalogs'>,
  vault: Vault,
  watchdog: Watchdog,
): Promise<void> {
  const catalog = async (source: string) => (node === null ? undefined : catalogs.latestData(node, source));
  const running = { workflow: id, graph: graph.name, cause: CHECK_LAUNCH, ...provenanceOf(graph) };
  const violations: Violation[] = [];
  for (const { label, task } of graph.labels.values()) {
    // Options from the definition may be encrypted.
    const own = task.checkLaunch === undefined ? undefined : vault.decrypt(merged(graph, label, options)).value;
    if (own === undefined) continue;
    const begin = async () => {
      try {
        return (await task.checkLaunch?.({ options: own, nodeId: node, catalog })) ?? [];
      } catch (error) {
        // A check may rely on the type of a value that is still a template.
        if (holdsTemplate(own)) return [];
        throw error;
      }
    };
    const look = watchdog.watch(running, begin);
    const found = await withTimeout(look, LIMIT_MS, late);
    // A template is resolved only when the task run starts; the task checks its value then.
    const certain = found.filter(({ path }) => !holdsTemplate(own[path.split('.')[0] ?? '']));
    violations.push(...certain.map(({ path, message }) => ({ path: `options.${label}.${path}`, message })));
  }
  if (violations.length > 0) throw invalidOptions(graph.name, violations);
}

const holdsTemplate = (value: unknown): boolean => JSON.stringify(value)?.includes('{{') === true;

const late = (): never => {
  throw new NodewrightError('UNAVAILABLE', `a task did not check its options within ${LIMIT_MS} ms; try again`);
};
