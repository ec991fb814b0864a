/** A claim on a `once` act that is saved while the store's answer is lost: the act was not begun, so it is begun. */
import { openEngine } from '../support/engine.ts';
import { noMongoDb, openMongoDb } from '../support/mongodb.ts';
import { needing } from '../support/needing.ts';
import { startProxy } from '../support/proxy.ts';
import { noRedis, startRedis } from '../support/redis.ts';

const test = needing(noRedis ?? noMongoDb, 'mongodb');
/** A row's claim, as BSON writes a text field. */
const CLAIM = '\x02claim\x00';

test.serial('an act whose claim was saved but not answered is not called interrupted: it runs, once', async (t) => {
  const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
  t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  const url = new URL(mongodb.url);
  const proxy = await startProxy(Number(url.port));
  t.teardown(() => proxy.stop());
  url.port = String(proxy.port);
  const opened = await openEngine({ redis: redis.url, mongodb: url.href });
  t.teardown(() => opened.close());
  const { library } = opened.engine;
  await library.putGraph({
    friendlyName: 'Claimed',
    injectableName: 'Graph.Claimed',
    tasks: [
      {
        label: 'once',
        taskName: 'Task.Fixture.WriteOnce',
        optionOverrides: { ledger: opened.path('ledger'), line: 'act' },
      },
    ],
  });
  const lost = proxy.loseAnswerTo(CLAIM);
  const { id } = await opened.launch('Graph.Claimed');
  await lost;
  t.is((await opened.finished(id)).status, 'succeeded');
  t.deepEqual(await opened.lines('ledger'), ['act']);
});
