/** A daemon with data for each page of the console, and with names that try to be markup. */
import type { DaemonProcess } from '../servers/daemon.ts';

export const originOf = (daemon: DaemonProcess): string => new URL(daemon.authorized('').url).origin;

/** Port of the northbound endpoint, until the daemon is started again. */
export const portOf = (daemon: DaemonProcess): number => Number(new URL(originOf(daemon)).port);

/** A browser that takes it for markup requests the picture `/hostile` or runs the script. */
const HOSTILE = `<img src=/hostile onerror="hostile=1"><script>hostile=1</script>'"{{7*7}}\u202egpj`;

export interface ConsoleScene {
  node: string;
  rack: string;
  sku: string;
  /** The SKU is `sku`; one node differs, the other one lacks the catalogs. */
  baseline: string;
  hook: string;
  /** Batch of a launch on `rack`, and on a node that does not exist. */
  batch: string;
  /** It has two phases, on `rack` and another node; the second one waits for a user. */
  rollout: string;
  rehearsal: string;
  /** Waits for a notification of `node`. */
  waiting: string;
  succeeded: string;
  failed: string;
  /** Ended, with outputs that its node reported. */
  reported: string;
  /** Ended, with a certificate of erased drives. */
  certified: string;
}

const graphs = (text: string) => [
  {
    friendlyName: 'Burn a machine in',
    injectableName: 'Graph.Console.BurnIn',
    tasks: [
      { label: 'disks', taskName: 'Task.noop' },
      { label: 'memory', taskName: 'Task.noop' },
      { label: 'report', taskName: 'Task.Wait.Notification', waitOn: { disks: 'succeeded', memory: 'succeeded' } },
    ],
  },
  {
    friendlyName: text,
    injectableName: 'Graph.Console.Fails',
    tasks: [
      { label: 'before', taskName: 'Task.noop' },
      { label: 'breaks', taskName: 'Task.Fixture.Fail', waitOn: { before: 'succeeded' } },
    ],
  },
];

const BURN_IN = {
  run: 'a7720f83-1a40-4d25-b1e3-e6196e61c2e8',
  startedAt: '2026-11-27T13:33:06.172Z',
  endedAt: '2026-11-27T13:43:36.992Z',
  tests: {
    disk: {
      verdict: 'failed',
      startedAt: '2026-11-27T13:33:23Z',
      endedAt: '2026-11-27T13:43:23Z',
      minimum: 300,
      figures: { drives: { sdb: { mbPerSec: 210, verdict: 'failed' } } },
    },
  },
};

/** @param text in the names of records, and in catalogs @throws if the daemon rejects something */
export async function fillConsole({ api, southbound }: DaemonProcess, text = HOSTILE): Promise<ConsoleScene> {
  const asking =
    (send: DaemonProcess['api']) =>
    async (method: string, path: string, body: unknown = {}) => {
      const answer = await send(method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
  const [ask, askAsNode] = [asking(api), asking(southbound)];
  for (const graph of graphs(text)) await ask('PUT', '/workflows/graphs', graph);
  const { id: sku } = await ask('POST', '/skus', {
    name: `R640 ${text}`,
    rules: [{ path: 'dmi.System Information.Product Name', equals: 'PowerEdge R640' }],
  });
  const { id: node } = await ask('POST', '/nodes', {
    type: 'compute',
    name: 'r12s04',
    identifiers: ['52:54:00:00:12:04'],
  });
  const { id: other } = await ask('POST', '/nodes', { type: 'compute', name: text, identifiers: [text] });
  const { id: rack } = await ask('POST', '/nodes', { type: 'rack', name: `rack 12 ${text}` });
  await ask('PUT', `/nodes/${rack}/relations`, { contains: [node, other] });
  await ask('PATCH', `/nodes/${other}/tags`, { tags: [text] });
  await ask('PUT', `/nodes/${node}/obm`, { service: 'noop-obm-service', config: { host: '10.1.2.4', user: text } });
  for (const id of [node, other]) {
    const data = {
      'System Information': { Manufacturer: 'Dell Inc.', 'Product Name': 'PowerEdge R640', Version: text },
    };
    await askAsNode('POST', `/nodes/${id}/catalogs`, { source: 'dmi', data });
  }
  for (const verdict of ['unknown', 'failed']) {
    const burnIn = { ...BURN_IN, verdict, drives: { sdb: { serial: text } }, problems: [text] };
    await askAsNode('POST', `/nodes/${node}/catalogs`, { source: 'burn-in', data: burnIn });
  }
  const settings = { source: 'redfish-bios', data: { Attributes: { BootMode: text } } };
  await askAsNode('POST', `/nodes/${other}/catalogs`, settings);
  const { id: baseline } = await ask('POST', '/baselines', { name: text, sku, bios: { BootMode: 'Uefi' } });
  const { id: hook } = await ask('POST', '/hooks', {
    name: text,
    url: 'http://127.0.0.1:9/hook',
    filters: [{ type: 'graph', action: 'finished' }],
  });
  const launch = (id: string, name: string) => ask('POST', `/nodes/${id}/workflows?name=${name}`);
  const { id: failed } = await launch(other, 'Graph.Console.Fails');
  const { id: succeeded } = await launch(node, 'Graph.noop-example');
  await ended(api, failed);
  await ended(api, succeeded);
  const { id: reported } = await launch(other, 'Graph.Demo.InstallOs');
  for (const report of [{ disk: text, [text]: text }, { ip: [text] }])
    await askAsNode('POST', `/notification?nodeId=${other}`, report);
  await ended(api, reported);
  const { id: certified } = await ask('POST', '/workflows?name=Graph.Fixture.Certify');
  await ended(api, certified);
  const { id: batch } = await ask('POST', '/nodes/workflows', { name: 'Graph.noop-example', nodes: [rack, 'unknown'] });
  await ask('PUT', `/nodes/${node}/health/dcim`, { state: 'warning', message: text });
  await ask('POST', `/nodes/${node}/holds`, { kind: 'repair', reason: text, blocks: ['poll'] });
  await ask('POST', '/windows', { name: text, zone: 'UTC', spans: [{ days: ['sat'], from: '22:00', to: '24:00' }] });
  const noop = { name: 'Graph.noop-example' };
  await ask('POST', '/schedules', { name: text, when: { everySec: 86_400 }, launch: { ...noop, nodes: [rack] } });
  const on = { type: 'node', action: 'health.changed', severity: 'critical' };
  await ask('POST', '/rules', { name: text, on, hold: { reason: text } });
  await ask('POST', '/tickets', { launch: noop });
  const { id: rollout } = await ask('POST', '/rollouts', {
    name: text,
    graph: noop.name,
    targets: { nodes: [rack, other] },
    phases: [{ size: 1, advance: 'manual' }, { size: 'rest' }],
    gates: [{ failures: 1 }, { health: 'critical' }],
    limits: { running: 1, per: { enclosedBy: 1 } },
  });
  await phaseEnded(api, rollout);
  // As many runs as a rehearsal needs.
  for (let runs = 0; runs < 10; runs += 1) await ended(api, (await launch(node, noop.name)).id);
  const rehearsed = { name: text, graph: noop.name, targets: { nodes: [rack, other] } };
  const { id: rehearsal } = await ask('POST', '/rehearsals', rehearsed);
  const { id: waiting } = await launch(node, 'Graph.Console.BurnIn');
  return {
    node,
    rack,
    sku,
    baseline,
    hook,
    batch,
    rollout,
    rehearsal,
    waiting,
    succeeded,
    failed,
    reported,
    certified,
  };
}

/** ms between two looks. */
const PAGE_LOOK_MS = 100;

type Api = DaemonProcess['api'];

async function until(api: Api, path: string, holds: (body: Awaited<ReturnType<Api>>['body']) => boolean) {
  while (!holds((await api('GET', path)).body)) await new Promise((resolve) => setTimeout(resolve, PAGE_LOOK_MS));
}

const ended = (api: Api, id: string) => until(api, `/workflows/${id}`, ({ finishedAt }) => finishedAt !== null);
const phaseEnded = (api: Api, id: string) => until(api, `/rollouts/${id}`, ({ reason }) => reason?.kind === 'phase');

/** A path for each page of the console. */
export const pathsOf = (scene: ConsoleScene): Record<string, string> => ({
  '/nodes/:id': `/nodes/${scene.node}`,
  '/workflows/:id': `/workflows/${scene.waiting}`,
  '/workflows/:id, reported': `/workflows/${scene.reported}`,
  '/batches/:id': `/batches/${scene.batch}`,
  '/rollouts/:id': `/rollouts/${scene.rollout}`,
  '/rehearsals/:id': `/rehearsals/${scene.rehearsal}`,
  '/certificates/:id': `/certificates/${scene.certified}`,
  '/graphs/:name': '/graphs/Graph.Console.BurnIn',
  '/baselines/:id': `/baselines/${scene.baseline}`,
  '/skus/:id': `/skus/${scene.sku}`,
});
