/** The packages of the clients, without a daemon. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApi as documentOf } from '../../api/documents/openapi.ts';
import { northboundRoutes } from '../../api/endpoint/northbound.ts';
import { selfSignedPair } from '../../api/endpoint/self-signed.ts';
import { RequestMetrics } from '../../api/middleware/measure.ts';
import { objectIn } from '../../engine/vocabulary/json.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { northbound, openApi } from '../support/servers/api.ts';
import { shared } from '../support/servers/shared-resources.ts';
import { startSource } from '../support/servers/source.ts';
import {
  buildClients,
  COLLECTION,
  installClients,
  runTool,
  WHEEL,
  withTools,
} from '../support/source/client-packages.ts';

const test = withTools();

const built = shared(async (file) => {
  const [one, other] = [folder(file), folder(file)];
  const [clients] = await Promise.all([installClients(one), buildClients(other)]);
  return { one, other, ...clients };
});

const sums = (of: string) =>
  [COLLECTION, WHEEL, 'nodewright_client-0.1.0.tar.gz'].map((name) => [
    name,
    createHash('sha256')
      .update(readFileSync(join(of, name)))
      .digest('hex'),
  ]);

test('two builds of the clients make the same bytes', async (t) => {
  t.timeout(4 * WAIT_MS);
  const { one, other } = await built();
  t.deepEqual(sums(one), sums(other));
});

test('the Python client has each operation of the OpenAPI document', async (t) => {
  const { one } = await built();
  const { stdout } = await runTool('python', ['-m', 'zipfile', '-l', join(one, WHEEL)]);
  const plain = (name: string) => name.replaceAll('_', '').toLowerCase();
  const modules = new Set([...stdout.matchAll(/nodewright\/api\/\w+\/(\w+)\.py/g)].map(([, name = '']) => plain(name)));
  const operations = Object.values(objectIn(documentOf(northboundRoutes(new RequestMetrics())).paths)).flatMap(
    (methods) => Object.values(objectIn(methods)).map((operation) => String(objectIn(operation).operationId)),
  );
  t.true(operations.length > 250);
  t.deepEqual(
    operations.filter((id) => !modules.has(plain(id))),
    [],
  );
});

test('ansible-doc shows each plug-in of the collection, without a warning', async (t) => {
  const { ansible: env } = await built();
  const modules = readdirSync(packagePath('api/clients/ansible/plugins/modules')).map((file) =>
    file.replace('.py', ''),
  );
  t.deepEqual(modules.sort(), ['hold', 'info', 'launch', 'node', 'rollout']);
  const named = (names: readonly string[]) => names.map((name) => `nodewright.nodewright.${name}`);
  for (const [type, names] of [
    ['module', named(modules)],
    ['inventory', named(['nodewright'])],
  ] as const) {
    const { stdout, stderr } = await runTool('ansible-doc', ['--json', '-t', type, ...names], env);
    t.notRegex(stderr, /WARNING|ERROR/);
    const shown = JSON.parse(stdout) as Record<
      string,
      { doc: { options: Record<string, object> }; examples: string; return: object | null }
    >;
    t.deepEqual(Object.keys(shown).sort(), [...names].sort());
    for (const [name, { doc, examples, return: returned }] of Object.entries(shown)) {
      t.true('token' in doc.options && 'ca_path' in doc.options, name);
      t.truthy(examples, name);
      t.true(type === 'inventory' || returned !== null, name);
    }
  }
});

test('the Python of the clients has no finding of the linter', async (t) => {
  const sources = packagePath('api/clients');
  await t.notThrowsAsync(runTool('ruff', ['check', '--no-cache', sources]));
  await t.notThrowsAsync(runTool('ruff', ['format', '--check', '--no-cache', sources]));
});

const listing = `
import sys
from nodewright import connect
from nodewright.api.nodes import list_nodes
print("listed", list_nodes.sync(client=connect(ca=sys.argv[1] if len(sys.argv) > 1 else None)))
`;

const paths = `
from nodewright import connect
from nodewright.api.nodes import get_node
from nodewright.api.skus import remove_sku
client = connect("http://127.0.0.1:9", "a token")
for operation in (get_node, remove_sku):
    for part in ("", ".", ".."):
        try:
            operation.sync_detailed(part, client=client)
        except ValueError as error:
            print(error)
`;

test('the Python client sends no request whose path would be that of another operation', async (t) => {
  const { python } = await built();
  const { stdout } = await runTool('python', ['-c', paths], python);
  t.is(stdout.match(/^found '\.{0,2}' as a part of a path/gm)?.length, 6, stdout);
});

test('both clients report an answer that no daemon sent, also a success', async (t) => {
  const { python, ansible } = await built();
  const list = '/api/current/nodes';
  const proxy = await startSource({ [list]: '<html>Log in</html>', [`${list}?%24skip=0&%24top=1000`]: '["JSON"]' });
  t.teardown(proxy.close);
  const env = { NW_URL: proxy.url, NW_TOKEN: 'a token of a user' };
  const said = (status: number) => new RegExp(`${proxy.url} answers ${status}, and not as a nodewright daemon does`);
  const inPython = runTool('python', ['-c', listing], { ...python, ...env });
  t.regex((await t.throwsAsync(inPython))?.message ?? '', said(200));
  for (const [kind, status] of [
    ['nodes', 200],
    ['workflows', 404],
  ] as const) {
    const args = ['localhost', '-m', 'nodewright.nodewright.info', '-a', `kind=${kind}`];
    t.regex((await t.throwsAsync(runTool('ansible', args, { ...ansible, ...env })))?.message ?? '', said(status));
  }
});

test('both clients check the certificate of the daemon, and accept one of an authority that they are given', async (t) => {
  const { python, ansible } = await built();
  const home = folder(t);
  await selfSignedPair(home, ['127.0.0.1']);
  const pair = { httpsCert: join(home, 'https-cert.pem'), httpsKey: join(home, 'https-key.pem') };
  const { port, as } = await openApi(t, { ...northbound, httpsEnabled: true, ...pair });
  const env = { NW_URL: `https://127.0.0.1:${port}`, NW_TOKEN: await as('Administrator') };
  const inPython = (...ca: string[]) => runTool('python', ['-c', listing, ...ca], { ...python, ...env });
  t.regex((await t.throwsAsync(inPython()))?.message ?? '', /CERTIFICATE_VERIFY_FAILED/);
  t.regex((await inPython(pair.httpsCert)).stdout, /^listed \[/);
  const inAnsible = (more: object) =>
    runTool(
      'ansible',
      ['localhost', '-m', 'nodewright.nodewright.info', '-a', JSON.stringify({ kind: 'nodes', ...more })],
      {
        ...ansible,
        ...env,
      },
    );
  t.regex(
    (await t.throwsAsync(inAnsible({})))?.message ?? '',
    /no answer from https:.*certificate verify failed.*check url, ca_path/i,
  );
  t.regex((await inAnsible({ ca_path: pair.httpsCert })).stdout, /"total": \d/);
});
