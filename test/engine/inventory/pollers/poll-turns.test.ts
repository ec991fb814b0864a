import test from 'ava';
import { type PollScope, Polls } from '../../../../engine/inventory/pollers/poll.ts';
import type { StoredPoller } from '../../../../engine/inventory/pollers/stored-poller.ts';
import { deferred } from '../../../support/ava/deferred.ts';
import { NEVER } from '../../../support/ava/never.ts';

test('polls of one poller wait for each other, as an event of its BMC and its interval begin them', async (t) => {
  const begun: string[] = [];
  const [goOn, both] = [deferred(), deferred()];
  const stored: Pick<PollScope['stored'], 'get'> = {
    async get(id) {
      begun.push(id);
      if (begun.length === 2) both.resolve();
      await goOn.promise;
      return undefined as StoredPoller | undefined;
    },
  };
  const polls = new Polls({ stored } as PollScope);
  const stopping = new AbortController();
  const all = [
    polls.poll('a', NEVER),
    polls.poll('a', NEVER, true),
    polls.poll('a', stopping.signal),
    polls.poll('b', NEVER),
  ];
  await both.promise;
  t.deepEqual(begun, ['a', 'b']);
  stopping.abort();
  goOn.resolve();
  t.deepEqual(await Promise.all(all), [false, false, true, false]);
  t.deepEqual(begun, ['a', 'b', 'a']);
});
