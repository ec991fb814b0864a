/** `nw kubernetes`: servers of Metal3 or the metal-operator are parked, run a graph, and are given back. */
import { type Command, Option } from 'commander';
import { Client } from '../client.ts';
import { addressOf, type ConnectionOptions, connecting } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { type AdvanceOptions, advance, type ServerCluster } from '../kubernetes/advance-server.ts';
import { installedOperator, operatorNames } from '../kubernetes/installed-operator.ts';
import { addressingKubernetes, type KubernetesOptions, kubernetesAddressOf } from '../kubernetes/kubernetes-address.ts';
import { Kubernetes } from '../kubernetes/kubernetes-client.ts';
import { listPath, serverOf } from '../kubernetes/parked-server.ts';
import { labelQuery, runRequests } from '../kubernetes/run-requests.ts';
import { informCounts, type ServerRow, showServer, showServers } from '../kubernetes/server-rows.ts';
import { timeSpan } from '../option-values.ts';
import { consoleOrigin } from '../remote-address.ts';
import { untilInterrupted } from '../remote-requests.ts';
import { inform, printableText } from '../terminal.ts';

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

export function addKubernetesCommands(root: Command): void {
  const kubernetes = root
    .command('kubernetes')
    .description('runs graphs on servers of Metal3 or the metal-operator that ask for one by an annotation');
  const selectingServers = (name: string) => selectable(addressingKubernetes(connecting(kubernetes.command(name))));
  selectingServers('plan')
    .description('shows which servers would be taken, and which are left alone and why; changes nothing')
    .action(plan);
  withRunOptions(selectingServers('run'))
    .description('parks the servers that ask, runs their graphs, gives them back, and ends')
    .option('--timeout <time>', 'how long, such as 2h; then exit code 4, and the same command continues', timeSpan)
    .action((flags: RunFlags) => serve(flags, true));
  withRunOptions(selectingServers('watch'))
    .description('does so whenever a server asks, until SIGTERM')
    .action((flags: RunFlags) => serve(flags, false));
}

const selectable = (command: Command): Command =>
  command
    .addOption(new Option('--operator <name>', 'by default the one that the cluster has').choices(operatorNames))
    .option('--namespace <name>', 'of the servers; by default all')
    .option('--selector <labels>', 'only servers with these labels, such as rack=r7')
    .option('--create-nodes', 'creates a node for a server that has none');

const withRunOptions = (command: Command): Command =>
  command
    .option('--return-failed', 'gives a server back although its workflow did not succeed')
    .option('--console <url>', 'address of the console in links; by default that of the daemon')
    .option('--poll <time>', 'the interval at which workflows are looked at', timeSpan, timeSpan('5s'));

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
