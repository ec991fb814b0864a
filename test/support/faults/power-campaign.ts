/**
 * Power commands under a real daemon, each on its own BMC that is silent for a while, with kills of the daemon in
 * between. The ledgers of the BMCs contain the commands that the machines got.
 */
import { setTimeout } from 'node:timers/promises';
import type { ConfigFile } from '../../../engine/platform/config/config.ts';
import type { Scope } from '../ava/scope.ts';
import { startIpmiSim } from '../bmcs/ipmi-sim.ts';
import { startRedfish } from '../bmcs/redfish.ts';
import { type DaemonProcess, startDaemonProcess } from '../servers/daemon.ts';

export const powerGraphs = {
  PowerOn: { before: 'off', sets: ['power 1'], resets: ['reset On'] },
  PowerOff: { before: 'on', sets: ['power 0'], resets: ['reset ForceOff'] },
  Reboot: { before: 'on', sets: ['power 0', 'power 1'], resets: ['reset ForceOff', 'reset On'] },
  Reset: { before: 'on', sets: ['reset 1'], resets: ['reset ForceRestart'] },
} as const;
export type PowerGraph = keyof typeof powerGraphs;

export interface Silence {
  graph: PowerGraph;
  service: 'ipmi-obm-service' | 'redfish-obm-service';
  /** `silent`: performed, then no answer. `late`: no answer, then performed. */
  kind: 'silent' | 'late';
  seconds: number;
}

/** Returns every combination. */
export const silencesOf = (services: readonly Silence['service'][], seconds: readonly number[]): Silence[] =>
  services.flatMap((service) =>
    seconds.flatMap((length) =>
      (['silent', 'late'] as const).flatMap((kind) =>
        (Object.keys(powerGraphs) as PowerGraph[]).map((graph) => ({ graph, service, kind, seconds: length })),
      ),
    ),
  );

interface Bmc {
  config: object;
  ledger(): readonly string[];
}

export interface Ended extends Silence {
  status: string;
  code: string | null;
  message: string | null;
  ledger: readonly string[];
  /** The reason why the end is wrong; empty: it is not. */
  wrong: string[];
}

async function bmcOf(scope: Scope, { graph, service, kind, seconds }: Silence): Promise<Bmc> {
  const { before } = powerGraphs[graph];
  if (service === 'ipmi-obm-service') {
    const sim = await startIpmiSim(scope);
    sim.power = before;
    sim[kind](seconds);
    return { config: sim.config, ledger: () => sim.ledger };
  }
  const redfish = await startRedfish(scope);
  redfish.power = before === 'on' ? 'On' : 'Off';
  redfish.trouble = { kind, ms: seconds * 1_000 };
  return { config: redfish.config, ledger: () => redfish.done.all };
}

/** As many as can be launched before the first has been silent for long. */
const SIDE_BY_SIDE = 8;
const CAMPAIGN_LOOK_MS = 500;

async function sideBySide<A, B>(all: readonly A[], work: (one: A) => Promise<B>): Promise<B[]> {
  const results: B[] = [];
  const left = [...all.entries()];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return results;
}

interface Campaign {
  silences: readonly Silence[];
  obm: NonNullable<ConfigFile['obm']>;
  /** Seconds after the launch at which the daemon is killed. */
  kills: readonly number[];
}

export async function powerCampaign(scope: Scope, { silences, obm, kills }: Campaign): Promise<Ended[]> {
  const daemon = await startDaemonProcess(scope, { config: { obm, taskConcurrency: 300 } });
  const nodes = await sideBySide(silences, async (silence) => {
    const bmc = await bmcOf(scope, silence);
    const node: string = (await daemon.api('POST', '/nodes', { type: 'compute', name: 'one' })).body.id;
    await daemon.api('PUT', `/nodes/${node}/obm`, { service: silence.service, config: bmc.config });
    return { silence, bmc, node };
  });
  const began = performance.now();
  const launched = await sideBySide(nodes, async (one) => {
    const { body } = await daemon.api('POST', `/nodes/${one.node}/workflows?name=Graph.${one.silence.graph}.Node`);
    return { ...one, id: body.id as string };
  });
  for (const second of kills) {
    await setTimeout(Math.max(0, began + second * 1_000 - performance.now()));
    await daemon.kill('SIGKILL');
    await daemon.start();
  }
  const ended: Ended[] = [];
  for (const { silence, bmc, id } of launched) {
    const { status, error } = await endOf(daemon, id);
    const ledger = [...bmc.ledger()];
    const { code = null, message = null } = error ?? {};
    ended.push({ ...silence, status, code, message, ledger, wrong: faultsOf(silence, status, code, ledger) });
  }
  return ended;
}

async function endOf(daemon: DaemonProcess, id: string) {
  for (;;) {
    const { body } = await daemon.api('GET', `/workflows/${id}`);
    if (!['pending', 'running'].includes(body.status)) return body;
    await setTimeout(CAMPAIGN_LOOK_MS);
  }
}

/** Allowed errors of a task run that cannot know the effect of its command; it must not report success then. */
const truthful = ['OBM_UNANSWERED', 'OBM_UNCHANGED', 'TASK_INTERRUPTED'];

function faultsOf({ graph, service }: Silence, status: string, code: string | null, ledger: readonly string[]) {
  const { sets, resets } = powerGraphs[graph];
  const expected: readonly string[] = service === 'ipmi-obm-service' ? sets : resets;
  const twice = ledger.filter((line, at) => ledger.indexOf(line) !== at);
  const strange = ledger.filter((line) => !expected.includes(line));
  return [
    ...twice.map((line) => `${line} was sent twice`),
    ...strange.map((line) => `${line} was not requested`),
    ...(status === 'succeeded' && ledger.length !== expected.length ? ['it did not succeed'] : []),
    ...(status === 'succeeded' || truthful.includes(code ?? '') ? [] : [`it ended ${status} with ${code}`]),
  ];
}
