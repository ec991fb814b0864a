import test from 'ava';
import fc from 'fast-check';
import { QUEUED_LIMIT } from '../../../../engine/durable/actors/mailbox.ts';
import type { NodeContext } from '../../../../engine/durable/actors/node.ts';
import type { Effect } from '../../../../engine/durable/step/row.ts';
import { at, NOW, NodeActor, start } from '../../../support/engine/node-actor.ts';

class Actor extends NodeActor {
  notify = (id: string) => this.send({ type: 'notify', id, at, parameters: { id } });
  get context(): NodeContext {
    return this.row.snapshot.context as NodeContext;
  }
}

const delivered = (effects: Effect[]) =>
  effects.flatMap((effect) =>
    effect.kind === 'send-to-workflow' && effect.message.type === 'work.done'
      ? [`${effect.message.notification} to ${effect.workflow}/${effect.message.operation}`]
      : [],
  );

const busy = (): Actor => {
  const actor = new Actor();
  actor.send({ type: 'launch', start: start('W') });
  return actor;
};

const wait = { type: 'await', label: 'any', visit: 1 } as const;

test('the first launch takes the node and requests the workflow, a second launch changes nothing', (t) => {
  const actor = new Actor();
  t.like(actor.send({ type: 'launch', start: start('W') }), [{ kind: 'create', start: { id: 'W' } }]);
  t.deepEqual(actor.send({ type: 'launch', start: start('V') }), []);
  t.is(actor.row.workflow, 'W');
});

test('only the end of the holder frees the node and drops its mail', (t) => {
  const actor = busy();
  actor.notify('m');
  actor.send({ type: 'ended', workflow: 'V' });
  t.is(actor.row.workflow, 'W');
  actor.send({ type: 'ended', workflow: 'W' });
  t.is(actor.row.workflow, null);
  t.deepEqual(actor.context.queued, []);
});

test('a launch on a held node is admitted only with the mark of its last hold, and clears it if no hold is there', (t) => {
  const actor = new Actor();
  actor.send({ type: 'hold', mark: 'one' });
  actor.send({ type: 'hold', mark: 'two' });
  t.deepEqual(actor.send({ type: 'launch', start: start('W') }), []);
  t.deepEqual(actor.send({ type: 'launch', start: start('W'), seen: { mark: 'one', areGone: true } }), []);
  t.is(actor.row.workflow, null);
  actor.send({ type: 'launch', start: start('W'), seen: { mark: 'two', areGone: false } });
  actor.send({ type: 'ended', workflow: 'W' });
  t.is(actor.context.holdMark, 'two', 'there is a hold that does not refuse it');
  actor.send({ type: 'launch', start: start('V'), seen: { mark: 'two', areGone: true } });
  t.is(actor.row.workflow, 'V');
  actor.send({ type: 'hold', mark: 'three' });
  actor.send({ type: 'ended', workflow: 'V' });
  t.deepEqual(actor.send({ type: 'launch', start: start('U') }), [], 'added while a workflow ran');
});

test('no workflow takes a node that is being removed, and a taken node is not removed', (t) => {
  const removed = new Actor();
  removed.send({ type: 'retire' });
  t.deepEqual(removed.send({ type: 'launch', start: start('W') }), []);
  t.true(removed.row.retired);
  t.is(removed.row.workflow, null);
  const taken = busy();
  taken.send({ type: 'retire' });
  t.false(taken.row.retired);
  t.is(taken.row.workflow, 'W');
});

test('a cancel reaches the holder once, and only the holder', (t) => {
  const actor = busy();
  t.deepEqual(actor.send({ type: 'cancel', workflow: 'V' }), []);
  const cancel = { kind: 'send-to-workflow', workflow: 'W', message: { type: 'cancel' } } as const;
  t.deepEqual(actor.send({ type: 'cancel', workflow: 'W' }), [cancel]);
  t.deepEqual(actor.send({ type: 'cancel', workflow: 'W' }), []);
});

test('mail is kept in order for later receivers', (t) => {
  const actor = busy();
  for (const id of ['a', 'b']) t.deepEqual(actor.notify(id), []);
  t.deepEqual(delivered(actor.send({ ...wait, receiver: 'W/w1' })), ['a to W/w1']);
  t.deepEqual(delivered(actor.send({ ...wait, receiver: 'W/w2' })), ['b to W/w2']);
});

test('the first receiver gets the first notification', (t) => {
  const actor = busy();
  for (const receiver of ['W/w1', 'W/w2']) t.deepEqual(actor.send({ ...wait, receiver }), []);
  t.deepEqual(delivered(actor.notify('a')), ['a to W/w1']);
  t.deepEqual(delivered(actor.notify('b')), ['b to W/w2']);
});

test('a receiver that asks again gets the same notification again, until it acknowledges it', (t) => {
  const actor = busy();
  actor.notify('a');
  actor.notify('b');
  for (let n = 0; n < 2; n += 1) actor.row.pendingEffects = [];
  t.deepEqual(delivered(actor.send({ ...wait, receiver: 'W/w1' })), ['a to W/w1']);
  t.deepEqual(delivered(actor.send({ ...wait, receiver: 'W/w1' })), ['a to W/w1']);
  actor.send({ type: 'release', receiver: 'W/w1', notification: 'a' });
  t.deepEqual(
    actor.context.queued.map(({ id }) => id),
    ['b'],
  );
});

test('a notification that its receiver could no longer accept goes to the next receiver', (t) => {
  const actor = busy();
  actor.send({ ...wait, receiver: 'W/w1' });
  actor.send({ ...wait, receiver: 'W/w2' });
  actor.notify('a');
  t.deepEqual(delivered(actor.send({ type: 'release', receiver: 'W/w1' })), ['a to W/w2']);
});

test('a child that has ended has no open waits', (t) => {
  const actor = busy();
  actor.send({ ...wait, receiver: 'C/w1' });
  actor.send({ ...wait, receiver: 'W/w1' });
  actor.send({ type: 'ended', workflow: 'C' });
  t.deepEqual(delivered(actor.notify('a')), ['a to W/w1']);
});

test('a broadcast that is sent again after a crash, or is older than the workflow, is not accepted', (t) => {
  const actor = busy();
  actor.notify('a');
  t.deepEqual(actor.notify('a'), []);
  actor.send({ type: 'notify', id: 'old', at: new Date(NOW - 1).toISOString(), parameters: {} });
  t.deepEqual(
    actor.context.queued.map(({ id }) => id),
    ['a'],
  );
});

test('a notification beyond the limit of the mailbox is rejected', (t) => {
  const actor = busy();
  for (let n = 0; n < QUEUED_LIMIT; n += 1) actor.notify(`m${n}`);
  t.throws(() => actor.notify('one more'), { message: /stop sending/ });
});

test('no mail is lost or delivered twice, in any order of waits, releases and repeats', (t) => {
  const act = fc.record({ kind: fc.constantFrom('notify', 'await', 'take', 'leave', 'again'), which: fc.nat(5) });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (commands) => {
      const actor = busy();
      const sent: string[] = [];
      const taken: string[] = [];
      const waiting = new Map<string, string | null>();
      const open = () => [...waiting.keys()];
      const collect = (effects: Effect[]) => {
        for (const line of delivered(effects)) {
          const [queued, receiver] = line.split(' to ') as [string, string];
          if (waiting.has(receiver)) waiting.set(receiver, queued);
        }
      };
      let waits = 0;
      for (const { kind, which } of commands) {
        const receiver = open()[which % Math.max(1, waiting.size)];
        if (kind === 'notify') {
          sent.push(`m${sent.length}`);
          collect(actor.notify(sent.at(-1) as string));
        } else if (kind === 'await') {
          waits += 1;
          waiting.set(`W/w${waits}`, null);
          collect(actor.send({ ...wait, receiver: `W/w${waits}` }));
        } else if (receiver === undefined) continue;
        else if (kind === 'again') collect(actor.send({ ...wait, receiver }));
        else {
          const queued = waiting.get(receiver);
          waiting.delete(receiver);
          const took = kind === 'take' && queued !== null && queued !== undefined;
          if (took) taken.push(queued as string);
          collect(actor.send({ type: 'release', receiver, ...(took ? { notification: queued as string } : {}) }));
        }
      }
      const left = actor.context.queued.map(({ id }) => id);
      return new Set(taken).size === taken.length && [...taken, ...left].sort().join() === [...sent].sort().join();
    }),
    { numRuns: 300 },
  );
  t.pass();
});
