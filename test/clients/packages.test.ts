/** The packages of the clients, without a daemon. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApi } from '../../api/documents/openapi.ts';
import { northboundRoutes } from '../../api/endpoint/northbound.ts';
import { RequestMetrics } from '../../api/middleware/measure.ts';
import { objectIn } from '../../engine/vocabulary/json.ts';
import { folder } from '../support/ava/folder.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { shared } from '../support/servers/shared-resources.ts';
import { buildClients, runTool, withTools } from '../support/source/client-packages.ts';

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
    ['nodewright_client-0.1.0-py3-none-any.whl', 'nodewright_client-0.1.0.tar.gz'],
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
