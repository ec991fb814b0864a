/** Rules of every channel. The test file of each adapter opens its own queues and passes them. */
import type { TestFn } from 'ava';
import type { Queues } from '../../engine/platform/queue/port.ts';
import { NodewrightError } from '../../engine/vocabulary/errors.ts';
import { Hearing } from '../support/servers/hearing.ts';
import type { Logged } from './queue.ts';

interface Message {
  n: number;
  text?: string;
}

let names = 0;

export function channelConformance(test: TestFn, open: () => Queues, logged: Logged[]): void {
  const fresh = () => open().channel<Message>(`c${names++}`);

  test('what is published reaches every subscriber, in order', async (t) => {
    const channel = fresh();
    const [one, other] = [new Hearing<Message>(), new Hearing<Message>()];
    await channel.subscribe((message) => one.add(message));
    await channel.subscribe((message) => other.add(message));
    const sent = [1, 2, 3].map((n) => ({ n, text: 'grüße' }));
    for (const message of sent) await channel.publish(message);
    for (const hearing of [one, other]) t.deepEqual([...(await hearing.until((all) => all.length === 3))], sent);
  });

  test('each subscriber gets a copy, and none is called from within publish', async (t) => {
    const channel = fresh();
    const [one, other] = [new Hearing<Message>(), new Hearing<Message>()];
    for (const hearing of [one, other]) await channel.subscribe((message) => hearing.add(message));
    const message = { n: 1 };
    const published = channel.publish(message);
    t.is(one.all.length, 0);
    message.n = 2;
    await published;
    const [[first], [second]] = [
      await one.until((all) => all.length === 1),
      await other.until((all) => all.length === 1),
    ];
    t.deepEqual([first, second], [{ n: 1 }, { n: 1 }]);
    t.not(first, second);
  });

  test('who has ended his subscription hears no more, and others still do', async (t) => {
    const channel = fresh();
    const [one, other] = [new Hearing<Message>(), new Hearing<Message>()];
    const end = await channel.subscribe((message) => one.add(message));
    await channel.subscribe((message) => other.add(message));
    await end();
    await end();
    await channel.publish({ n: 1 });
    await other.until((all) => all.length === 1);
    t.is(one.all.length, 0);
  });

  test('a channel can be left and entered again', async (t) => {
    const channel = fresh();
    const hearing = new Hearing<Message>();
    const end = await channel.subscribe(() => t.fail());
    const ended = end();
    await channel.subscribe((message) => hearing.add(message));
    await ended;
    await channel.publish({ n: 1 });
    t.deepEqual([...(await hearing.until((all) => all.length === 1))], [{ n: 1 }]);
  });

  test('a handler that throws is logged and harms no other', async (t) => {
    const channel = fresh();
    const hearing = new Hearing<Message>();
    const failure = new Error('on purpose, in a channel');
    await channel.subscribe(() => {
      throw failure;
    });
    await channel.subscribe((message) => hearing.add(message));
    await channel.publish({ n: 1 });
    await hearing.until((all) => all.length === 1);
    t.is(logged.filter(({ error }) => error === failure).length, 1);
  });

  test('a message that is published without a listener is lost', async (t) => {
    const channel = fresh();
    const hearing = new Hearing<Message>();
    await channel.publish({ n: 1 });
    // Sent after it, so that its arrival shows that the first has passed.
    const other = fresh();
    const passed = new Hearing<Message>();
    await other.subscribe((message) => passed.add(message));
    await other.publish({ n: 0 });
    await passed.until((all) => all.length === 1);
    await channel.subscribe((message) => hearing.add(message));
    await channel.publish({ n: 2 });
    t.deepEqual([...(await hearing.until((all) => all.length === 1))], [{ n: 2 }]);
  });

  test('a message of 64 KiB is taken, a larger one rejected', async (t) => {
    const channel = fresh();
    const hearing = new Hearing<Message>();
    await channel.subscribe((message) => hearing.add(message));
    const frame = JSON.stringify({ n: 1, text: '' }).length;
    const error = await t.throwsAsync(channel.publish({ n: 1, text: 'x'.repeat(65_537 - frame) }));
    t.true(error instanceof NodewrightError && error.code === 'TOO_LARGE');
    await channel.publish({ n: 2, text: 'x'.repeat(65_536 - frame) });
    t.is((await hearing.until((all) => all.length === 1))[0]?.n, 2);
  });

  test('two channels do not mix', async (t) => {
    const [one, other] = [fresh(), fresh()];
    const hearing = new Hearing<Message>();
    await one.subscribe(() => t.fail());
    await other.subscribe((message) => hearing.add(message));
    await other.publish({ n: 1 });
    await hearing.until((all) => all.length === 1);
    t.pass();
  });
}
