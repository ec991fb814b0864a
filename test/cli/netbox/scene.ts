/** A daemon's engine behind its interface, and a fake NetBox beside it. */
import type { ExecutionContext } from 'ava';
import { Client } from '../../../api/cli/client.ts';
import { NetBox } from '../../../api/cli/netbox/netbox-client.ts';
import { setupFields } from '../../../api/cli/netbox/setup-fields.ts';
import type { PullRequest, PushRequest, Sides } from '../../../api/cli/netbox/sync-netbox.ts';
import type { NodeRecord } from '../../../engine/api-port/index.ts';
import type { ConfigFile } from '../../../engine/platform/config/config.ts';
import { openEngine, type TestEngine } from '../../support/engine/engine.ts';
import { northbound, serve } from '../../support/servers/api.ts';
import { type FakeNetBox, startFakeNetBox } from '../../support/servers/fake-netbox.ts';

export interface NetBoxScene {
  it: TestEngine;
  fake: FakeNetBox;
  sides: Sides;
  stop: AbortController;
  nodeCalled(name: string): Promise<NodeRecord>;
}

export const wholePage = { filter: {}, skip: 0, limit: 100 };

export const pullRequest: PullRequest = {
  filters: [['role', 'server']],
  relation: 'containedBy',
  owners: false,
  obm: undefined,
};

export const pushRequest: PushRequest = { prefix: 'nodewright_', origin: 'https://nw.example', journal: true };

export async function netBoxScene(t: ExecutionContext, config: ConfigFile = {}): Promise<NetBoxScene> {
  const it = await openEngine(config);
  t.teardown(() => it.close());
  const { port, as } = await serve(t, northbound, it.engine);
  const fake = await startFakeNetBox(t);
  const stop = new AbortController();
  const netBox = new NetBox({ url: fake.url, token: fake.token, ca: undefined }, stop.signal);
  const client = new Client({ url: `http://127.0.0.1:${port}`, token: await as('Administrator'), ca: undefined });
  t.teardown(async () => {
    stop.abort();
    await Promise.all([client.close(), netBox.close()]);
  });
  await setupFields(netBox, pushRequest.prefix);
  const nodeCalled = async (name: string) => {
    const { items } = await it.engine.nodes.list({ ...wholePage, filter: { name } });
    const [node] = items;
    if (node === undefined) throw new Error(`there is no node ${name}`);
    return node;
  };
  return { it, fake, sides: { client, netBox, signal: stop.signal }, stop, nodeCalled };
}

const rack = { id: 7, name: 'R7' };

/** Devices of one rack, with MACs. */
export const twoServers = [
  { id: 1, name: 'srv-01', serial: 'SN-01', assetTag: 'A-1', rack, position: 12, macs: ['02:00:00:00:01:01'] },
  { id: 2, name: 'srv-02', serial: 'SN-02', rack, position: 13.5, macs: ['02:00:00:00:02:01', '02:00:00:00:02:02'] },
] as const;
