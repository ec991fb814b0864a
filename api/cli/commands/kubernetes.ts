/** `nw kubernetes`: servers of Metal3 or the metal-operator are parked, run a graph, and are given back. */
import { type Command, Option } from 'commander';
import { connecting } from '../connection.ts';
import { operatorNames } from '../kubernetes/installed-operator.ts';
import { addressingKubernetes } from '../kubernetes/kubernetes-address.ts';
import type { kubernetesCommands } from '../kubernetes/kubernetes-commands.ts';
import { timeSpan } from '../option-values.ts';

export function addKubernetesCommands(root: Command): void {
  const kubernetes = root
    .command('kubernetes')
    .description('runs graphs on servers of Metal3 or the metal-operator that ask for one by an annotation');
  const selectingServers = (name: string) => selectable(addressingKubernetes(connecting(kubernetes.command(name))));
  selectingServers('plan')
    .description('shows which servers would be taken, and which are left alone and why; changes nothing')
    .action((flags) => runLoaded((run) => run.plan(flags)));
  withRunOptions(selectingServers('run'))
    .description('parks the servers that ask, runs their graphs, gives them back, and ends')
    .option('--timeout <time>', 'how long, such as 2h; then exit code 4, and the same command continues', timeSpan)
    .action((flags) => runLoaded((run) => run.serve(flags, true)));
  withRunOptions(selectingServers('watch'))
    .description('does so whenever a server asks, until SIGTERM')
    .action((flags) => runLoaded((run) => run.serve(flags, false)));
}

/** Only these commands load the code that talks to Kubernetes. */
const runLoaded = async (work: (run: typeof kubernetesCommands) => Promise<void>): Promise<void> =>
  work((await import('../kubernetes/kubernetes-commands.ts')).kubernetesCommands);

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
