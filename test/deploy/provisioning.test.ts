/** The provisioning network of `fixtures/deploy/provisioning`, with machines that boot from it. */
import { startChild } from '../support/child.ts';
import { needing } from '../support/needing.ts';
import { machines, network, noProvisioning, type Provisioned } from '../support/provisioning.ts';

const test = needing(noProvisioning, 'network');

const source = (file: string, site: boolean) => `
  import { provision } from './test/support/provisioning.ts';
  import { OwnScope } from './test/support/scope.ts';
  const scope = new OwnScope();
  console.log('RESULT ' + JSON.stringify(await provision(scope, '${file}', ${site})));
  await scope.close();
  process.exit(0);
`;

const cases: [string, string, boolean][] = [
  ['beside the DHCP server of the site', 'proxy.conf', true],
  ['as the only DHCP server', 'server.conf', false],
];

for (const [name, file, site] of cases) {
  test.serial(`machines that boot from dnsmasq ${name} load iPXE and are registered by the daemon`, async (t) => {
    t.timeout(240_000);
    const child = startChild(source(file, site), {}, network);
    t.teardown(() => child.kill('SIGKILL'));
    let line: string | undefined;
    do line = await child.line();
    while (line !== undefined && !line.startsWith('RESULT '));
    if (line === undefined) return t.fail('the network ended early; its errors are above');
    const { nodes, sent } = JSON.parse(line.slice('RESULT '.length)) as Provisioned;
    t.deepEqual(Object.keys(nodes), Object.keys(machines));
    for (const { id, address } of Object.values(nodes)) {
      t.regex(id, /^[0-9a-f-]{36}$/);
      t.regex(String(address), /^10\.77\.0\.1\d\d$/, 'an address of the range, as the daemon saw it');
    }
    t.deepEqual([...new Set(sent)], ['ipxe.efi'], 'only the machine without iPXE loads it');
  });
}
