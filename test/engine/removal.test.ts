/** A workflow that is removed while what its end asks for was not carried out: it is carried out first. */
import { openEngine } from '../support/engine.ts';
import { noMongoDb, openMongoDb } from '../support/mongodb.ts';
import { needing } from '../support/needing.ts';
import { startProxy } from '../support/proxy.ts';
import { noRedis, startRedis } from '../support/redis.ts';

const test = needing(noRedis ?? noMongoDb, 'mongodb');
/** A row's end, as BSON writes a text field. */
const END = '\x02status\x00\x0a\x00\x00\x00succeeded';

test.serial('its node is free, and listeners hear of its end', async (t) => {
  const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
  t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  const url = new URL(mongodb.url);
  const proxy = await startProxy(Number(url.port));
  t.teardown(() => proxy.stop());
  url.port = String(proxy.port);
  const it = await openEngine({ redis: redis.url, mongodb: url.href });
  t.teardown(() => it.close());
  const node = await it.node();
  // Saved, but whoever saved it does not know: nobody carries it out before the sweep does.
  const lost = proxy.loseAnswerTo(END);
  const { id } = await it.launch('Graph.noop-example', {}, node.id);
  await lost;
  await it.finished(id);
  t.true(await it.engine.workflows.remove(id));
  t.is(it.of(id, 'finished').length, 1);
  const next = await it.launch('Graph.noop-example', {}, node.id);
  t.is((await it.finished(next.id)).status, 'succeeded');
});
