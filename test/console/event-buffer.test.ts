/** The events that the tail of the console keeps and shows. */
import test from 'ava';
import type { LogEvent } from '../../api/client/follow-events.ts';
import { anyEvent, eventMatcherOf, withEvents, withOlder } from '../../api/console/pages/listeners/event-buffer.ts';

const eventOf = (seq: number, more: Partial<LogEvent> = {}): LogEvent => ({
  seq,
  id: String(seq),
  version: '1.0',
  type: 'graph',
  action: 'finished',
  severity: 'information',
  typeId: 'w',
  createdAt: '2026-01-01T00:00:00.000Z',
  nodeId: 'n1',
  data: { status: 'failed', graphName: 'Graph.Reboot.Node' },
  ...more,
});
const seqs = (events: readonly LogEvent[]) => events.map(({ seq }) => seq);

test('heartbeats are left out until they are wanted', (t) => {
  const beat = eventOf(1, { type: 'heartbeat', action: 'updated' });
  const isShown = (filter: typeof anyEvent) => eventMatcherOf(filter, String)(beat);
  t.deepEqual([isShown(anyEvent), isShown({ ...anyEvent, withHeartbeats: true })], [false, true]);
});

test('events are kept newest first, each once, and the oldest make room', (t) => {
  const first = withEvents([], [eventOf(1), eventOf(3)]);
  t.deepEqual(seqs(withEvents(first, [eventOf(3), eventOf(2)])), [3, 2, 1]);
  const many = withEvents(
    first,
    Array.from({ length: 3_000 }, (_, at) => eventOf(at + 10)),
  );
  t.is(many.length, 2_000);
  t.is(many[0]?.seq, 3_009);
});

test('older events come after the others, and are not what makes room', (t) => {
  const kept = withEvents(
    [],
    Array.from({ length: 2_000 }, (_, at) => eventOf(at + 100)),
  );
  const all = withOlder(kept, [eventOf(1), eventOf(2)]);
  t.is(all.length, 2_000);
  t.deepEqual(seqs(all.slice(-2)), [2, 1]);
});

test('a filter compares parts of texts without regard to case, and names of nodes', (t) => {
  const matches = (filter: Partial<typeof anyEvent>, event = eventOf(1)) =>
    eventMatcherOf({ ...anyEvent, ...filter }, (node) => (node === 'n1' ? 'r12s04' : node))(event);
  t.true(matches({}));
  t.true(matches({ event: 'GRAPH.fin', status: ' failed ', node: 'R12', of: 'reboot' }));
  t.false(matches({ event: 'node' }));
  t.false(matches({ status: 'succeeded' }));
  t.false(matches({ node: 'r13' }));
  t.false(matches({ node: 'r12' }, eventOf(1, { nodeId: null })));
  t.false(matches({ status: 'failed' }, eventOf(1, { data: { status: 7 } })));
});
