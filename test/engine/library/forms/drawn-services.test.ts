/** Drawn machines on services: their ids and names of states have spaces, dots and colons, which Redis and MongoDB must keep. */
import { packagePath } from '../../../../engine/vocabulary/package-path.ts';
import { needing } from '../../../support/ava/needs.ts';
import { folders } from '../../../support/engine/definition-folders.ts';
import { openEngine } from '../../../support/engine/engine.ts';
import { noServices, sharedServices } from '../../../support/servers/services.ts';

const test = needing(noServices);
const services = sharedServices();

test.serial('every drawn machine runs to its end', async (t) => {
  const { REDIS_URL, MONGODB_URL } = await services();
  const it = await openEngine({
    redis: REDIS_URL as string,
    mongodb: MONGODB_URL as string,
    graphs: [packagePath('fixtures/drawn')],
    tasks: folders.tasks,
  });
  t.teardown(() => it.close());
  const flashBmc = { ledger: it.path('ledger'), line: 'flashed', failures: 3 };
  const names = (await it.engine.library.graphs()).map(({ injectableName }) => injectableName);
  t.is(names.length, 4);
  for (const name of names) {
    const { id } = await it.launch(name, name.endsWith('FirmwareUpdate') ? { flashBmc } : {});
    const { status, error } = await it.finished(id);
    t.is(status, 'succeeded', `${name} ${JSON.stringify(error)}`);
  }
});
