/** The page of NetBox runs as it is printed; a pull that is killed is completed by the next one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { folder } from '../../support/ava/folder.ts';
import { sharedCliDaemon } from '../../support/console/cli-scene.ts';
import { commandLine } from '../../support/console/command-line.ts';
import { startFakeNetBox } from '../../support/servers/fake-netbox.ts';
import { runPage } from '../../support/source/page-run.ts';
import { twoServers } from './scene.ts';

const daemonOf = sharedCliDaemon();

test.serial('the page runs as it is printed', async (t) => {
  const daemon = await daemonOf();
  const fake = await startFakeNetBox(t);
  fake.add(...twoServers, { id: 3, name: 'srv-03', role: 'server' });
  const { env, command } = commandLine(t, daemon);
  const variables = {
    NW_URL: env.NW_URL,
    NW_TOKEN: env.NW_TOKEN,
    NW_CONTEXTS: env.NW_CONTEXTS,
    NETBOX_TOKEN: fake.token,
  };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${value}\n`);
  const page = readFileSync(packagePath('docs/integrate/netbox.md'), 'utf8');
  await runPage(t, page, {
    'export NETBOX_URL=http://127.0.0.1:8000\n': `${exports.join('')}nw() { ${command} "$@"; }\nexport NETBOX_URL=${fake.url}\n`,
  });
  t.is(fake.journal.length, 1);
});

test.serial(
  'a pull that is killed with -9 while it writes is completed by the next one, and nothing is there twice',
  async (t) => {
    const daemon = await daemonOf();
    const fake = await startFakeNetBox(t);
    const ids = Array.from({ length: 60 }, (_, n) => 1_000 + n);
    const macOf = (id: number) => `02:00:00:01:${String(id).slice(0, 2)}:${String(id).slice(2)}`;
    fake.add(
      ...ids.map((id) => ({ id, name: `k-${id}`, rack: { id: 77, name: 'R77' }, position: 1, macs: [macOf(id)] })),
    );
    const file = join(folder(t), 'token');
    writeFileSync(file, fake.token, { mode: 0o600 });
    const nw = commandLine(t, daemon, { NETBOX_URL: fake.url });
    const args = ['netbox', 'pull', '--filter', 'role=server', '--token-file', file];
    const count = async () => (await daemon.api('GET', '/nodes?name.prefix=k-&fields=relations,tags&$top=1000')).body;
    const killed = nw.start(...args);
    while ((await count()).length < 5) t.false((await Promise.race([killed.ended, undefined])) !== undefined);
    killed.signal('SIGKILL');
    await killed.ended;
    t.true((await count()).length < ids.length, 'it was killed in the middle');
    const { status, stderr } = await nw.run(...args);
    t.is(status, 0, stderr);
    const nodes: { relations: object[]; tags: string[] }[] = await count();
    t.is(nodes.length, ids.length);
    t.true(nodes.every(({ relations, tags }) => relations.length === 1 && tags.join() === 'u1'));
    t.is((await daemon.api('GET', '/nodes?name=R77')).body.length, 1);
    t.is((await daemon.api('GET', '/catalogs?source=netbox&$top=1000')).body.filter(isKilled).length, ids.length);
    const again = await nw.run(...args, '-o', 'jsonl');
    t.regex(again.stderr, /^nodewright: 60 none$/m);
    t.false(dirname(file).includes(fake.token));
  },
);

const isKilled = ({ data }: { data: { name: string } }): boolean => data.name.startsWith('k-');
