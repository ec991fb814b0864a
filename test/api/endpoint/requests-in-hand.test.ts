import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import type { Context } from 'koa';
import { RequestsInHand } from '../../../api/middleware/requests-in-hand.ts';
import { NodewrightError } from '../../../engine/vocabulary/errors.ts';
import { deferred } from '../../support/ava/deferred.ts';

const PLACES = { registrations: 1, others: 2 };
const from = (isGone = false) => ({ req: { socket: { destroyed: isGone } } }) as Context;
const overloaded = { instanceOf: NodewrightError, code: 'UNAVAILABLE' };

/** Handles requests that end when the test says so, and notes which have begun. */
function opened(patienceMs?: number) {
  const requests = new RequestsInHand(PLACES, patienceMs);
  const begun: string[] = [];
  const handle = (name: string, end: Promise<unknown>, isRegistration = false, ctx = from()) =>
    requests.turnsOf(
      ctx,
      isRegistration,
    )(async (leave) => {
      begun.push(name);
      if (name.startsWith('waiting')) leave();
      await end;
      return name;
    });
  return { requests, begun, handle };
}

test('requests over the limit wait in their order, and a registration waits for registrations only', async (t) => {
  const { requests, begun, handle } = opened();
  const ends = Array.from({ length: 5 }, () => deferred());
  const all = ends.map(({ promise }, n) => handle(`${n}`, promise));
  const registered = handle('registration', Promise.resolve(), true);
  t.is(await registered, 'registration');
  t.deepEqual(begun.toSorted(), ['0', '1', 'registration']);
  t.is(requests.waitingCount, 3);
  ends[1]?.resolve();
  t.is(await all[1], '1');
  await turn();
  t.deepEqual(begun.slice(-1), ['2']);
  for (const end of ends) end.resolve();
  t.deepEqual(await Promise.all(all), ['0', '1', '2', '3', '4']);
  t.is(requests.waitingCount, 0);
});

test('one that waits for an event gives up its place, and still gets its answer or error', async (t) => {
  const { handle } = opened();
  const ends = Array.from({ length: 4 }, () => deferred());
  const waiting = ends.map(({ promise }, n) => handle(`waiting ${n}`, promise));
  t.is(await handle('other', Promise.resolve()), 'other');
  ends[0]?.reject(new Error('broken'));
  await t.throwsAsync(waiting[0] as Promise<string>, { message: 'broken' });
  for (const end of ends.slice(1)) end.resolve();
  t.deepEqual(await Promise.all(waiting.slice(1)), ['waiting 1', 'waiting 2', 'waiting 3']);
});

test('a work that fails frees its place', async (t) => {
  const { handle } = opened();
  const failing = Array.from({ length: 6 }, () => handle('failing', Promise.reject(new Error('broken'))));
  for (const each of failing) await t.throwsAsync(each, { message: 'broken' });
  t.is(await handle('other', Promise.resolve()), 'other');
});

test('one that has waited for too long, or whose client has hung up, is not handled', async (t) => {
  const { begun, handle } = opened(0);
  const end = deferred();
  const first = [handle('0', end.promise), handle('1', end.promise)];
  const late = handle('late', Promise.resolve());
  // Its turn comes later than now.
  await new Promise((resolve) => setTimeout(resolve, 1));
  end.resolve();
  await t.throwsAsync(late, overloaded);
  await Promise.allSettled(first);
  const { begun: others, handle: handleOthers } = opened();
  await t.throwsAsync(handleOthers('gone', Promise.resolve(), false, from(true)), overloaded);
  t.deepEqual([begun.includes('late'), others], [false, []]);
});
