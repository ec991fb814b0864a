/** The provisioning network of `fixtures/deploy/provisioning`, with machines that boot from it. */
import type { ExecutionContext } from 'ava';
import { drawn } from '../drawn.mjs';
import { needing } from '../support/ava/needs.ts';
import { machines, network, noProvisioning, type Provisioned } from '../support/bmcs/provisioning.ts';
import { startChild } from '../support/faults/child.ts';

const test = needing(noProvisioning, 'network');

const source = (file: string, site: boolean) => `
  import { provision } from './test/support/bmcs/provisioning.ts';
  import { OwnScope } from './test/support/ava/scope.ts';
  const scope = new OwnScope();
  console.log('RESULT ' + JSON.stringify(await provision(scope, '${file}', ${site})));
  await scope.close();
  process.exit(0);
`;

async function provisioned(t: ExecutionContext, file: string, site: boolean): Promise<void> {
  const child = startChild(source(file, site), {}, network);
  t.teardown(() => child.kill('SIGKILL'));
  let line: string | undefined;
  do line = await child.line();
  while (line !== undefined && !line.startsWith('RESULT '));
  if (line === undefined) return t.fail(`the network of ${file} ended early; its errors are above`);
  const { nodes, sent, programs } = JSON.parse(line.slice('RESULT '.length)) as Provisioned;
  t.deepEqual(Object.keys(nodes), Object.keys(machines), file);
  for (const { id, address } of Object.values(nodes)) {
    t.regex(id, /^[0-9a-f-]{36}$/);
    t.regex(String(address), /^10\.77\.0\.1\d\d$/, 'an address of the range, as the daemon saw it');
  }
  t.deepEqual([...new Set(sent)], ['ipxe.efi'], 'only the machine without iPXE loads it');
  if (site) return;
  const base = 'http://10.77.0.1:9080/api/current/profiles/switch';
  t.deepEqual(Object.values(programs), [`${base}/arista`, `${base}/onie`, `${base}/cumulus`]);
}

const networks = [
  { name: 'beside a DHCP server of the site', file: 'proxy.conf', site: true },
  { name: 'as the only DHCP server, which gives switches their URL', file: 'server.conf', site: false },
];

for (const { name, file, site } of drawn(networks, 1 / 2)) {
  test.serial(`machines boot from dnsmasq ${name}, and are registered`, (t) => provisioned(t, file, site));
}
