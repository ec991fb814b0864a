/** A write that a store executes while its answer is lost: the request is executed once, and nothing is left open. */
import type { ExecutionContext } from 'ava';
import { needing } from '../../support/ava/needs.ts';
import { openEngine } from '../../support/engine/engine.ts';
import { noMongoDb, openMongoDb } from '../../support/servers/mongodb.ts';
import { startProxy } from '../../support/servers/proxy.ts';
import { noRedis, startRedis } from '../../support/servers/redis.ts';

const test = needing(noRedis ?? noMongoDb, 'mongodb');
/** An operation's owner, and the end of a workflow, in the delta that a save sends. */
const CLAIM = '"claim":"';
const END = '"status":"succeeded"';

/** An engine whose rows go through a proxy. */
async function open(t: ExecutionContext) {
  const [redis, mongodb] = await Promise.all([startRedis(), openMongoDb()]);
  t.teardown(() => Promise.all([redis.stop(), mongodb.stop()]));
  const url = new URL(redis.url);
  const proxy = await startProxy(Number(url.port));
  t.teardown(() => proxy.stop());
  url.port = String(proxy.port);
  const it = await openEngine({ redis: url.href, mongodb: mongodb.url });
  t.teardown(() => it.close());
  return { it, proxy };
}

test.serial(
  'an activity whose claim was saved without an answer is not reported as interrupted: it runs once',
  async (t) => {
    const { it: opened, proxy } = await open(t);
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
  },
);

test.serial(
  'a workflow whose end was saved without an answer is removed: its node is free, and its end is published',
  async (t) => {
    const { it, proxy } = await open(t);
    const node = await it.node();
    // Saved, but the writing process does not know: the effects run only when the sweep finds them.
    const lost = proxy.loseAnswerTo(END);
    const { id } = await it.launch('Graph.noop-example', {}, node.id);
    await lost;
    await it.finished(id);
    t.true(await it.engine.control.remove(id));
    t.is(it.of(id, 'finished').length, 1);
    const next = await it.launch('Graph.noop-example', {}, node.id);
    t.is((await it.finished(next.id)).status, 'succeeded');
  },
);
