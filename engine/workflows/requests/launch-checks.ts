/**
 * Calls the functions of tasks that are called before a workflow starts: `checkLaunch` for a launch, `drives` for a plan. They get
 * the task's options, and read the node's catalogs.
 */

import type { LaunchScope } from '../../define/task.ts';
import { CHECK_LAUNCH } from '../../durable/watchdog/marker.ts';
import type { CodeWatch } from '../../durable/watchdog/watchdog.ts';
import { invalidOptions, mergeOptions } from '../../library/options/options.ts';
import type { Graph } from '../../library/types.ts';
import { provenanceOf } from '../../library/versions/provenance.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { NodewrightError, type Violation } from '../../vocabulary/errors.ts';
import { withTimeout } from '../../vocabulary/with-timeout.ts';
import type { CheckedLaunch } from './checked-launch.ts';
import type { InventoryPort } from './inventory-port.ts';

/** Tasks are untrusted code: a task that does not answer must not block the launch. */
const LIMIT_MS = 5_000;

type Ask<T> = (scope: LaunchScope<unknown>) => Promise<T>;

export class TaskCalls {
  readonly #catalogs: InventoryPort['catalogs'];
  readonly #vault: Vault;
  readonly #watchdog: CodeWatch;

  constructor(catalogs: InventoryPort['catalogs'], vault: Vault, watchdog: CodeWatch) {
    this.#catalogs = catalogs;
    this.#vault = vault;
    this.#watchdog = watchdog;
  }

  /** @throws NodewrightError INVALID_OPTIONS with a violation for each path `options.<label>.<field>` */
  async check(graph: Graph, launch: CheckedLaunch): Promise<void> {
    const violations: Violation[] = [];
    for (const { label, task } of graph.labels.values()) {
      const { checkLaunch } = task;
      if (checkLaunch === undefined) continue;
      const found = await this.call(graph, label, launch, async (scope) => {
        try {
          return certainViolations(await checkLaunch(scope), scope.options);
        } catch (error) {
          // A check may rely on the type of a value that is still a template.
          if (holdsTemplate(scope.options)) return [];
          throw error;
        }
      });
      violations.push(...found.map(({ path, message }) => ({ path: `options.${label}.${path}`, message })));
    }
    if (violations.length > 0) throw invalidOptions(graph.name, violations);
  }

  /** @param options of the request @throws NodewrightError UNAVAILABLE if the task does not answer; its own error */
  call<T>(
    graph: Graph,
    label: string,
    { id, node, options }: Pick<CheckedLaunch, 'id' | 'node' | 'options'>,
    ask: Ask<T>,
  ): Promise<T> {
    const running = { workflow: id, graph: graph.name, cause: CHECK_LAUNCH, ...provenanceOf(graph) };
    // Options from the definition may be encrypted.
    const own = this.#vault.decrypt(mergeOptions(graph, label, options)).value;
    const catalog = async (source: string) => (node === null ? undefined : this.#catalogs.latestData(node, source));
    const call = this.#watchdog.watch(running, () => ask({ options: own, nodeId: node, catalog }));
    return withTimeout(call, LIMIT_MS, onTimeout);
  }
}

/** A template is resolved only when the task run starts; the task checks its value then. */
const certainViolations = (found: readonly Violation[], options: Record<string, unknown>): Violation[] =>
  found.filter(({ path }) => !holdsTemplate(options[path.split('.')[0] ?? '']));

const holdsTemplate = (value: unknown): boolean => JSON.stringify(value)?.includes('{{') === true;

const onTimeout = (): never => {
  throw new NodewrightError('UNAVAILABLE', `a task did not answer before the launch within ${LIMIT_MS} ms; try again`);
};
