/** The site of a demo: its SKUs, its faults, and the work that is under way on it. */
import { readFaults } from '../../../engine/hardware/twin/faults/read-faults.ts';
import type { Model } from '../../../engine/hardware/twin/machine/model.ts';
import { shippedModels } from '../../../engine/hardware/twin/read-model.ts';
import type { GetAnswer } from '../../client/requests.ts';
import type { Client } from '../client.ts';

export const demoFaults = readFaults(`
at 200 s: bmc r01s03 silent 24 h    # the circuit of its BMC opens
at 0 s:   bmc r01s04 update fails   # the next update; a retry succeeds
`);

const IMAGE = 'firmware-2.4.1.bin';

/** Stores the image that BMCs fetch from the southbound endpoint. */
export async function storeImage(client: Client): Promise<void> {
  const params = { name: IMAGE };
  await client.upload('PUT', '/files/:name', Buffer.from('firmware'), 'application/octet-stream', { params });
}

const bmcUpdate = (south: string) => ({ image: `${south}/${IMAGE}`, targets: ['BMC'], version: '2.4.1' });

/** By label. */
type Options = Record<string, Record<string, unknown>>;

interface Work {
  machine: string;
  graph: string;
  options: Options;
}

const ubuntu = (hostname: string): Options => ({
  'install-ubuntu': { version: '24.04', hostname, domain: 'rack.example', rootPassword: 'r00t-pa55' },
});

/** All that a new machine needs, without a hand on it. */
const commission = (south: string): Options => ({
  'create-account': { graphOptions: { 'create-account': { by: 'redfish' } } },
  baseline: {
    graphOptions: { compare: { firmware: [{ component: 'BMC', version: '2.4.1', image: `${south}/${IMAGE}` }] } },
  },
  'burn-in': {
    graphOptions: {
      prepare: { tests: ['cpu', 'memory'] },
      cpu: { durationSec: 600 },
      memory: { durationSec: 600 },
    },
  },
  install: { graphName: 'Graph.InstallUbuntu', graphOptions: ubuntu('r01s05') },
});

/** One of each, on machines of the first rack. @param south origin of the southbound endpoint */
export const demoWork = (south: string): readonly Work[] => [
  {
    machine: 'r01s01',
    graph: 'Graph.Drive.SecureErase',
    options: { 'drive-secure-erase': { eraseSettings: [{ disks: ['sda'], tool: 'scrub', arg: 'fillzero' }] } },
  },
  { machine: 'r01s02', graph: 'Graph.InstallUbuntu', options: ubuntu('r01s02') },
  { machine: 'r01s03', graph: 'Graph.Reboot.Node', options: {} },
  {
    machine: 'r01s04',
    graph: 'Graph.Firmware.Update',
    options: { update: bmcUpdate(south) },
  },
  { machine: 'r01s05', graph: 'Graph.Node.Commission', options: commission(south) },
];

/** Firmware for the second rack: two machines first, then the others, a few at a time. */
export const demoRollout = (south: string) => ({
  name: 'BMC firmware 2.4.1',
  graph: 'Graph.Firmware.Update',
  options: { update: bmcUpdate(south) },
  phases: [{ size: 2 }, { size: 'rest' as const }],
  limits: { running: 2 },
  gates: [{ failures: 3, scope: 'rollout' as const }],
  seed: 1,
});

const skuOf = ({ product, manufacturer }: Model) => ({
  name: product,
  rules: [
    { path: 'dmi.System Information.Manufacturer', equals: manufacturer },
    { path: 'dmi.System Information.Product Name', equals: product },
  ],
});

/** Creates the SKUs that are missing. */
export async function createSkus(client: Client): Promise<void> {
  const { body } = await client.get('/skus', { query: { fields: 'name' } });
  const knownNames = new Set((body as GetAnswer<'/skus'>).map(({ name }) => name));
  for (const model of shippedModels().values()) {
    if (!knownNames.has(model.product)) await client.post('/skus', { body: skuOf(model) });
  }
}
