import test from 'ava';
import fc from 'fast-check';
import type { HookFilter } from '../../../../engine/api-port/hooks.ts';
import { wants } from '../../../../engine/events/hooks/filters.ts';
import type { EventPayload } from '../../../../engine/vocabulary/event.ts';

const event: EventPayload = {
  id: 'e',
  version: '1.0',
  type: 'node',
  action: 'discovered',
  severity: 'information',
  typeId: 'n1',
  createdAt: new Date(0).toISOString(),
  nodeId: 'n1',
  data: { x: 1 },
};

/** As documented in the interface document. */
const plain = (all: readonly HookFilter[], { data, ...event }: EventPayload): boolean =>
  all.length === 0 ||
  all.some((filter) =>
    (Object.keys(filter) as (keyof HookFilter)[]).every((key) => {
      const value = key === 'status' || key === 'graphName' ? data[key] : event[key];
      return new RegExp(filter[key] ?? '').test(String(value ?? ''));
    }),
  );

test('an event is selected when one filter matches in all its fields, or when the hook has no filters', async (t) => {
  const word = fc.constantFrom('node', 'graph', 'discovered', 'updated', 'n1', '');
  const pattern = fc.oneof(
    word,
    word.map((text) => `^${text}$`),
    fc.tuple(word, word).map((both) => both.join('|')),
    fc.constantFrom('[^(discovered|updated)]', '.', '^$', 'd.*d'),
  );
  const filter = fc.record(
    {
      ...{ type: pattern, typeId: pattern, action: pattern, severity: pattern, nodeId: pattern },
      ...{ status: pattern, graphName: pattern },
    },
    { requiredKeys: [] },
  );
  const events = fc
    .record({
      type: fc.constantFrom('node' as const, 'graph' as const),
      action: word,
      typeId: word,
      nodeId: fc.option(word),
      data: fc.record({ status: word, graphName: word }, { requiredKeys: [] }),
    })
    .map((part) => ({ ...event, ...part }));
  await fc.assert(
    fc.asyncProperty(fc.array(filter, { maxLength: 4 }), events, async (all, one) => {
      return (await wants(all, one)) === plain(all, one);
    }),
    { numRuns: 300 },
  );
  t.pass();
});

test('the ends of some graphs are selected by their status and name', async (t) => {
  const filter = { action: '^finished$', status: '^(failed|cancelled)$', graphName: 'Erase$' };
  const ended = (status: string, injectableName: string) =>
    wants([filter], {
      ...event,
      type: 'graph',
      action: 'finished',
      data: { status, graphName: 'Friendly', injectableName },
    });
  t.true(await ended('failed', 'Graph.Drive.SecureErase'));
  t.true(await ended('cancelled', 'Graph.Drive.SecureErase'));
  t.false(await ended('succeeded', 'Graph.Drive.SecureErase'));
  t.false(await ended('failed', 'Graph.InstallOs'));
  t.false(await wants([{ status: 'failed' }], event));
});

test('the expressions of the interface document select their events', async (t) => {
  const wanted = (filter: HookFilter, action: string) => wants([filter], { ...event, action });
  t.true(await wanted({ action: '^discovered$' }, 'discovered'));
  t.false(await wanted({ action: '^discovered$' }, 'rediscovered'));
  t.true(await wanted({ action: 'discovered|updated' }, 'sku.updated'));
  t.false(await wanted({ action: 'discovered', nodeId: '^other$' }, 'discovered'));
  t.true(await wants([{ nodeId: '^$' }], { ...event, nodeId: null }));
});
