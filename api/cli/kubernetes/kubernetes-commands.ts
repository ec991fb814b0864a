/** The work of the commands of `nw kubernetes`. */
import { Client } from '../client.ts';
import { addressOf, type ConnectionOptions } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { consoleOrigin } from '../remote-address.ts';
import { untilInterrupted } from '../remote-requests.ts';
import { inform, printableText } from '../terminal.ts';
import { type AdvanceOptions, advance, type ServerCluster } from './advance-server.ts';
import { installedOperator } from './installed-operator.ts';
import { type KubernetesOptions, kubernetesAddressOf } from './kubernetes-address.ts';
import { Kubernetes } from './kubernetes-client.ts';
import { listPath, serverOf } from './parked-server.ts';
import { labelQuery, runRequests } from './run-requests.ts';
import { informCounts, type ServerRow, showServer, showServers } from './server-rows.ts';

interface PlanFlags extends ConnectionOptions, KubernetesOptions {
  operator?: string;
  namespace?: string;
  selector?: string;
  createNodes?: boolean;
}

interface RunFlags extends PlanFlags {
  returnFailed?: boolean;
  console?: string;
  poll: number;
  /** `nw kubernetes run` only. */
  timeout?: number;
}

export const kubernetesCommands = { plan, serve };

async function plan(flags: PlanFlags): Promise<void> {
  await withCluster(flags, undefined, async (cluster) => {
    const { items } = await cluster.kubernetes.list(
      listPath(cluster.operator, flags.namespace),
      labelQuery(selectionOf(flags)),
    );
    const options = { ...optionsOf(flags), isDry: true };
    const rows: ServerRow[] = [];
    for (const object of items) {
      const server = serverOf(cluster.operator, object);
      const step = server === undefined ? undefined : await advance(cluster, server, options);
      if (step !== undefined) rows.push(step.row);
    }
    showServers(rows, flags.output);
    informCounts(rows);
  });
}

function serve(flags: RunFlags, endsWhenSettled: boolean): Promise<void> {
  return withCluster(flags, flags.timeout, async (cluster) => {
    try {
      const rows = await runRequests(cluster, {
        ...selectionOf(flags),
        advance: optionsOf(flags),
        endsWhenSettled,
        pollMs: flags.poll,
        show: (row) => showServer(row, flags.output),
        note: (text) => inform(printableText(text)),
      });
      informCounts(rows);
      if (rows.some(({ state }) => isFailure.includes(state))) process.exitCode = EXIT.failed;
    } catch (error) {
      if (endsWhenSettled || !cluster.signal.aborted) throw error;
    }
  });
}

const isFailure: readonly ServerRow['state'][] = ['failed', 'cancelled', 'rejected'];

const selectionOf = ({ namespace, selector }: PlanFlags) => ({ namespace, selector });

function optionsOf({
  createNodes = false,
  returnFailed = false,
  console: page,
  ...flags
}: PlanFlags & Partial<RunFlags>): AdvanceOptions {
  const origin = consoleOrigin(page ?? addressOf(flags).url);
  return { createsNodes: createNodes, returnsFailed: returnFailed, origin, isDry: false };
}

/** Runs work with both sides, until it ends, or a signal or the time ends it. */
async function withCluster(
  flags: PlanFlags,
  timeoutMs: number | undefined,
  work: (cluster: ServerCluster) => Promise<void>,
) {
  await untilInterrupted(async (stop) => {
    const endLate = () =>
      stop.abort(new CommandError('not all are given back yet; the same command continues', EXIT.timeout));
    const kubernetes = new Kubernetes(kubernetesAddressOf(flags), stop.signal);
    const client = new Client(addressOf(flags));
    const timer = timeoutMs === undefined ? undefined : setTimeout(endLate, timeoutMs);
    try {
      const operator = await installedOperator(kubernetes, flags.operator);
      await work({ client, kubernetes, operator, signal: stop.signal });
    } finally {
      clearTimeout(timer);
      await Promise.all([client.close(), kubernetes.close()]);
    }
  });
}
