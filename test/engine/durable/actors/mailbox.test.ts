/** Which wait receives a notification, in every order of notifications, repeats and waits. */
import test from 'ava';
import fc from 'fast-check';
import {
  ANSWERS_LIMIT,
  ANSWERS_SIZE_LIMIT,
  answerTo,
  type FirstAnswer,
  remember,
} from '../../../../engine/durable/actors/answers.ts';
import { BROADCASTS_LIMIT, QUEUED_LIMIT } from '../../../../engine/durable/actors/mailbox.ts';
import type { NodeMessage, Notice, Receiver } from '../../../../engine/durable/actors/messages.ts';
import { contextOf } from '../../../../engine/durable/step/node.ts';
import type { Effect } from '../../../../engine/durable/step/row.ts';
import { at, NodeActor, start } from '../../../support/engine/node-actor.ts';

class Actor extends NodeActor {
  constructor() {
    super();
    this.send({ type: 'launch', start: start('W') });
  }

  notify = (id: string, to: Partial<Notice> = {}) =>
    this.send({
      type: 'notify',
      id,
      at,
      parameters: { id },
      ...to,
      announced: { id, key: 'notification.n', body: {} },
    });

  wait = (operation: string, wait: Partial<Receiver> = {}) =>
    this.send({ type: 'await', receiver: `W/${operation}`, label: 'any', visit: 1, ...wait });

  get kept(): string[] {
    return contextOf(this.row).queued.map(({ id }) => id);
  }
}

const delivered = (effects: Effect[]) =>
  effects.flatMap((effect) =>
    effect.kind === 'send-to-workflow' && effect.message.type === 'work.done'
      ? [`${effect.message.notification} to ${effect.message.operation}`]
      : [],
  );
const published = (effects: Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'publish' ? [effect.publication.id] : []));

const taskRun = (label: string, visit = 1) => ({ workflow: 'W', label, visit });

test('a notification with a label is delivered to the wait with that label, even if other waits are older', (t) => {
  const actor = new Actor();
  actor.wait('w1', { label: 'installed', visit: 1 });
  actor.wait('w2', { label: 'booted', visit: 1 });
  t.deepEqual(delivered(actor.notify('m', { task: 'booted' })), ['m to w2']);
});

test('a notification for a label without a wait is kept for that label, and no other wait receives it', (t) => {
  const actor = new Actor();
  t.deepEqual(delivered(actor.notify('m', { task: 'booted' })), []);
  t.deepEqual(delivered(actor.wait('w1', { label: 'installed', visit: 1 })), []);
  t.deepEqual(delivered(actor.notify('bare')), ['bare to w1']);
  t.deepEqual(delivered(actor.wait('w2', { label: 'booted', visit: 1 })), ['m to w2']);
});

test('a callback is delivered to its own task run, not to a later one with the same label', (t) => {
  const actor = new Actor();
  actor.notify('early', { taskRun: taskRun('again', 2) });
  actor.notify('late', { taskRun: taskRun('again', 1) });
  t.deepEqual(delivered(actor.wait('w2', { label: 'again', visit: 2 })), ['early to w2']);
  t.deepEqual(actor.kept, ['early'], 'a callback for an earlier task run is not kept');
});

test('a callback is delivered to its own workflow, not to a child with the same label', (t) => {
  const actor = new Actor();
  actor.send({ type: 'await', receiver: 'C/w1', label: 'installed', visit: 1 });
  t.deepEqual(delivered(actor.notify('m', { taskRun: taskRun('installed') })), []);
  actor.notify('lost', { taskRun: { workflow: 'C', label: 'gone', visit: 1 } });
  actor.send({ type: 'ended', workflow: 'C' });
  t.deepEqual(actor.kept, ['m'], 'a callback for a child that has ended is dropped');
});

test('a wait with callbackOnly accepts only its callback', (t) => {
  const actor = new Actor();
  actor.wait('w1', { label: 'installed', visit: 1, callbackOnly: true });
  for (const [id, to] of [
    ['bare', {}],
    ['label', { task: 'installed' }],
    ['other', { taskRun: taskRun('installed', 2) }],
  ] as const) {
    t.deepEqual(delivered(actor.notify(id, to)), [], id);
  }
  t.deepEqual(delivered(actor.notify('m', { taskRun: taskRun('installed') })), ['m to w1']);
});

test('a nonce is accepted once: a repeat changes nothing, publishes nothing, and the first answer is kept', (t) => {
  const actor = new Actor();
  actor.wait('w1');
  actor.wait('w2');
  const first = actor.notify('a', { nonce: 'x' });
  t.deepEqual([delivered(first), published(first)], [['a to w1'], ['a']]);
  const before = JSON.stringify(actor.row);
  t.deepEqual(actor.notify('b', { nonce: 'x', task: 'other' }), []);
  t.is(JSON.stringify(actor.row), before);
  t.deepEqual(answerTo(contextOf(actor.row).answers, 'x'), { nonce: 'x', id: 'a', body: { id: 'a' } });
  t.deepEqual(delivered(actor.notify('c', { nonce: 'y' })), ['c to w2']);
});

test('the notification that ended the workflow stays answered until another workflow takes the node', (t) => {
  const actor = new Actor();
  actor.notify('a', { nonce: 'x' });
  actor.send({ type: 'ended', workflow: 'W' });
  t.is(answerTo(contextOf(actor.row).answers, 'x')?.id, 'a');
  actor.send({ type: 'launch', start: start('W') });
  t.deepEqual(contextOf(actor.row).answers, []);
});

test('a nonce is valid within one workflow', (t) => {
  const actor = new Actor();
  actor.notify('a', { nonce: 'x' });
  actor.send({ type: 'ended', workflow: 'W' });
  actor.send({ type: 'launch', start: start('W') });
  actor.wait('w1');
  t.deepEqual(delivered(actor.notify('b', { nonce: 'x' })), ['b to w1']);
});

test('broadcasts that no wait takes leave room for the notifications of the node', (t) => {
  const actor = new Actor();
  actor.wait('w1', { label: 'installed', visit: 1, broadcast: false });
  for (let n = 0; n < 2 * QUEUED_LIMIT; n += 1) actor.notify(`b${n}`, { broadcast: true });
  t.is(actor.kept.length, BROADCASTS_LIMIT);
  t.deepEqual(delivered(actor.notify('m')), ['m to w1']);
});

test('a repeat is answered even if the mailbox is full', (t) => {
  const actor = new Actor();
  actor.notify('first', { nonce: 'x' });
  for (let n = 1; n < QUEUED_LIMIT; n += 1) actor.notify(`m${n}`);
  t.throws(() => actor.notify('one more', { nonce: 'y' }), { message: /stop sending/ });
  t.deepEqual(actor.notify('again', { nonce: 'x' }), []);
});

test('the newest nonces are remembered; above a size the oldest answers are dropped, not their nonces', (t) => {
  const long = 'x'.repeat(ANSWERS_SIZE_LIMIT / 4);
  let answers: FirstAnswer[] = [];
  for (let n = 0; n < 6; n += 1) answers = remember(answers, { nonce: `n${n}`, id: `${n}`, body: { long } });
  t.deepEqual(
    answers.map(({ body }) => body !== undefined),
    [false, false, false, true, true, true],
  );
  for (let n = 6; n <= ANSWERS_LIMIT; n += 1) answers = remember(answers, { nonce: `n${n}`, id: `${n}`, body: {} });
  t.is(answers.length, ANSWERS_LIMIT);
  t.is(answerTo(answers, 'n0'), undefined);
  t.is(answerTo(answers, 'n1')?.id, '1');
});

const LABELS = ['a', 'b'] as const;
const notice = fc.record({
  kind: fc.constantFrom('bare', 'broadcast', 'task', 'callback'),
  label: fc.constantFrom(...LABELS),
  /** 0: none. */
  nonce: fc.nat(3),
});
const move = fc.oneof(
  fc.record({ do: fc.constant('notify' as const), notice }),
  fc.record({ do: fc.constant('repeat' as const), which: fc.nat(20) }),
  fc.record({
    do: fc.constant('wait' as const),
    label: fc.constantFrom(...LABELS),
    only: fc.constantFrom({}, { callbackOnly: true as const }, { broadcast: false as const }),
  }),
  fc.record({ do: fc.constantFrom('take' as const, 'leave' as const, 'again' as const), which: fc.nat(5) }),
);

/** The expected state: each wait with the notification that it received, and the result of each notification. */
class Services {
  readonly actor = new Actor();
  readonly waits = new Map<string, { wait: Receiver; has: string | null }>();
  readonly visits: Record<string, number> = { a: 0, b: 0 };
  readonly sent: Notice[] = [];
  /** By nonce: the first notification that was sent with it. */
  readonly first = new Map<string, string>();
  readonly taken: string[] = [];
  wrong: string | undefined;
  #count = 0;

  say({ kind, label, nonce }: { kind: string; label: string; nonce: number }): void {
    this.#count += 1;
    const place = taskRun(label, Math.max(1, this.visits[label] ?? 0));
    const to: Partial<Notice> =
      {
        broadcast: { broadcast: true as const },
        task: { task: label },
        callback: { taskRun: place, nonce: `callback ${place.visit} ${label}` },
      }[kind] ?? {};
    const own = kind !== 'callback' && nonce > 0 ? { nonce: `nonce ${nonce}` } : {};
    this.#send({ id: `m${this.#count}`, at, parameters: {}, ...to, ...own });
  }

  /** A client that got no answer repeats the notification: with another id and the same nonce. */
  repeat(which: number): void {
    const once = this.sent.filter(({ nonce }) => nonce !== undefined)[which % Math.max(1, this.sent.length)];
    if (once === undefined) return;
    const before = JSON.stringify(this.actor.row);
    this.#count += 1;
    this.#send({ ...once, id: `m${this.#count}` });
    if (JSON.stringify(this.actor.row) !== before) this.wrong = `the repeat of ${once.id} changed something`;
  }

  #send(message: Notice): void {
    this.sent.push(message);
    if (message.nonce !== undefined && !this.first.has(message.nonce)) this.first.set(message.nonce, message.id);
    this.#collect(this.actor.send({ type: 'notify', ...message }));
  }

  wait(label: string, only: Partial<Receiver>): void {
    this.#count += 1;
    const visit = (this.visits[label] ?? 0) + 1;
    this.visits[label] = visit;
    const wait: Receiver = { receiver: `W/w${this.#count}`, label, visit, ...only };
    this.waits.set(`w${this.#count}`, { wait, has: null });
    this.#collect(this.actor.send({ type: 'await', ...wait }));
  }

  end(how: 'take' | 'leave' | 'again', which: number): void {
    const [operation, open] = [...this.waits][which % Math.max(1, this.waits.size)] ?? [];
    if (operation === undefined || open === undefined) return;
    if (how === 'again') this.#collect(this.actor.send({ type: 'await', ...open.wait }));
    else this.#close(how, operation, open);
  }

  #close(how: 'take' | 'leave', operation: string, open: { wait: Receiver; has: string | null }): void {
    this.waits.delete(operation);
    const release: Extract<NodeMessage, { type: 'release' }> = { type: 'release', receiver: open.wait.receiver };
    if (how === 'take' && open.has !== null) {
      release.notification = open.has;
      this.taken.push(open.has);
    }
    this.#collect(this.actor.send(release));
  }

  #collect(effects: Effect[]): void {
    for (const line of delivered(effects)) {
      const [queued, operation] = line.split(' to ') as [string, string];
      const open = this.waits.get(operation);
      const said = this.sent.find(({ id }) => id === queued) as Notice;
      if (open === undefined) continue;
      if (open.has !== null && open.has !== queued) this.wrong = `${operation} received ${open.has} and ${queued}`;
      if (!fits(said, open.wait)) this.wrong = `${operation} received ${JSON.stringify(said)}`;
      open.has = queued;
    }
  }

  /** Distinct notifications: those without a nonce, and the first of each nonce. */
  get counted(): string[] {
    return this.sent.flatMap(({ id, nonce }) => (nonce === undefined || this.first.get(nonce) === id ? [id] : []));
  }

  /** Its task run has ended: it may be dropped. */
  isStale(id: string): boolean {
    const { taskRun: place } = this.sent.find((one) => one.id === id) as Notice;
    return place !== undefined && place.visit < (this.visits[place.label] ?? 0);
  }
}

const fits = ({ task, taskRun: place, broadcast }: Notice, wait: Receiver): boolean => {
  const { label, visit, callbackOnly } = wait;
  if (broadcast && wait.broadcast === false) return false;
  return place === undefined
    ? !callbackOnly && (task === undefined || task === label)
    : place.label === label && place.visit === visit;
};

test('in any order: each wait receives only notifications that it accepts, no nonce is accepted twice, a repeat changes nothing, and none is lost', (t) => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
      const services = new Services();
      for (const one of moves) {
        if (one.do === 'notify') services.say(one.notice);
        else if (one.do === 'repeat') services.repeat(one.which);
        else if (one.do === 'wait') services.wait(one.label, one.only);
        else services.end(one.do, one.which);
      }
      t.is(services.wrong, undefined);
      t.is(new Set(services.taken).size, services.taken.length, 'taken twice');
      const accounted = new Set([...services.taken, ...services.actor.kept]);
      t.deepEqual(
        [...accounted].filter((id) => !services.counted.includes(id)),
        [],
        'a repeat was taken',
      );
      t.deepEqual(
        services.counted.filter((id) => !accounted.has(id) && !services.isStale(id)),
        [],
        'lost',
      );
      // No notification that a free wait accepts is left in the mailbox.
      const idle = [...services.waits.values()].filter(({ has }) => has === null).map(({ wait }) => wait);
      const lying = contextOf(services.actor.row).queued.filter(({ claimedBy }) => claimedBy === null);
      t.false(
        lying.some((queued) => idle.some((wait) => fits(queued as unknown as Notice, wait))),
        'not delivered',
      );
    }),
    { numRuns: 500 },
  );
});
