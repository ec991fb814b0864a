/** The packages of the clients, without a daemon. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApi } from '../../api/documents/openapi.ts';
import { northboundRoutes } from '../../api/endpoint/northbound.ts';
import { RequestMetrics } from '../../api/middleware/measure.ts';
import { objectIn } from '../../engine/vocabulary/json.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { shared } from '../support/servers/shared-resources.ts';
import { ansibleIn, buildClients, runTool, withTools } from '../support/source/client-packages.ts';

const test = withTools();

const built = shared(async (file) => {
  const [one, other] = [folder(file), folder(file)];
  await Promise.all([one, other].map(buildClients));
  return { one, other };
});

const sums = (of: string) =>
  readdirSync(of)
    .sort()
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(of, name)))
        .digest('hex'),
    ]);

test('two builds of the clients make the same bytes', async (t) => {
  t.timeout(4 * WAIT_MS);
  const { one, other } = await built();
  t.deepEqual(sums(one), sums(other));
  t.deepEqual(
    sums(one).map(([name]) => name),
    [
      'nodewright-nodewright-0.1.0.tar.gz',
      'nodewright_client-0.1.0-py3-none-any.whl',
      'nodewright_client-0.1.0.tar.gz',
    ],
  );
});

test('the Python client has each operation of the OpenAPI document', async (t) => {
  const { one } = await built();
  const { stdout } = await runTool('python', [
    '-m',
    'zipfile',
    '-l',
    join(one, 'nodewright_client-0.1.0-py3-none-any.whl'),
  ]);
  const plain = (name: string) => name.replaceAll('_', '').toLowerCase();
  const modules = new Set([...stdout.matchAll(/nodewright\/api\/\w+\/(\w+)\.py/g)].map(([, name = '']) => plain(name)));
  const operations = Object.values(objectIn(openApi(northboundRoutes(new RequestMetrics())).paths)).flatMap((methods) =>
    Object.values(objectIn(methods)).map((operation) => String(objectIn(operation).operationId)),
  );
  t.true(operations.length > 250);
  t.deepEqual(
    operations.filter((id) => !modules.has(plain(id))),
    [],
  );
});

test('ansible-doc shows each plug-in of the collection, without a warning', async (t) => {
  const { one } = await built();
  const env = ansibleIn(folder(t));
  await runTool('ansible-galaxy', ['collection', 'install', join(one, 'nodewright-nodewright-0.1.0.tar.gz')], env);
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
