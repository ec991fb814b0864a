/** Messages for chats and on-call services, checked against the schemas of their bodies. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import test from 'ava';
import fc from 'fast-check';
import { receiverBody } from '../../../../engine/events/hooks/receiver-formats.ts';
import { type EventPayload, severities } from '../../../../engine/vocabulary/event.ts';
import { fileScope } from '../../../support/ava/file-scope.ts';
import { nodeEvent } from '../../../support/engine/events.ts';
import { startHooks } from '../../../support/engine/hooks.ts';
import { openOwnStore } from '../../../support/engine/stores.ts';
import { startReceiver } from '../../../support/servers/receiver.ts';

const scope = fileScope();
const formats = ['slack', 'teams', 'pagerduty'] as const;
const KEY = '0123456789abcdef0123456789abcdef';
const ajv = new Ajv({ strict: false });
const fits = Object.fromEntries(
  formats.map((format) => [format, ajv.compile(JSON.parse(readFileSync(`fixtures/receivers/${format}.json`, 'utf8')))]),
);

const graphFailed: EventPayload = {
  id: 'e',
  version: '1.0',
  type: 'graph',
  action: 'finished',
  severity: 'critical',
  typeId: 'w',
  createdAt: '2026-11-27T03:00:00.000Z',
  nodeId: 'n',
  data: { graphId: 'w', graphName: 'Graph.InstallOs', status: 'failed' },
};

test('an event with any names and values is a message that the receiver takes, without links and mentions', (t) => {
  const names = fc.oneof(
    fc.string(),
    fc.constantFrom('<!channel>', '<https://evil.example|here>', '[x](https://evil.example)'),
  );
  const events = fc.record({
    severity: fc.constantFrom(...severities),
    data: fc.dictionary(
      fc.oneof(names, fc.constantFrom('graphName', 'status', 'message')),
      fc.oneof(names, fc.jsonValue(), fc.constantFrom('&'.repeat(5_000), 'x'.repeat(5_000))),
    ),
  });
  fc.assert(
    fc.property(events, fc.constantFrom(...formats), (change, format) => {
      const body = receiverBody({ ...graphFailed, ...change }, format, KEY);
      t.true(fits[format]?.(body), JSON.stringify(fits[format]?.errors));
    }),
  );
});

test('a text that is cut within a character ends before it, which strict parsers demand', (t) => {
  for (const format of formats)
    for (const before of ['', 'x']) {
      const long = `${before}${'\u{1f600}'.repeat(2_000)}`;
      const data = Object.fromEntries(['message', 'a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, long]));
      t.notRegex(JSON.stringify(receiverBody({ ...graphFailed, data }, format, KEY)), /\\ud[89a-f]/);
    }
});

test('the first line says what happened', (t) => {
  const text = 'graph.finished (critical): Graph.InstallOs failed';
  t.like(receiverBody(graphFailed, 'slack', undefined), { text });
  t.true(JSON.stringify(receiverBody(graphFailed, 'teams', undefined)).includes(text));
  t.like(receiverBody(graphFailed, 'pagerduty', KEY), {
    routing_key: KEY,
    event_action: 'trigger',
    dedup_key: 'nodewright graph w',
    payload: { summary: text, source: 'n', severity: 'critical' },
  });
});

test('an event that is only information resolves the incident of its record; the test of a hook opens one', (t) => {
  const action = (change: Partial<EventPayload>) =>
    (receiverBody({ ...graphFailed, ...change }, 'pagerduty', KEY) as { event_action: string }).event_action;
  t.is(action({ severity: 'information' }), 'resolve');
  t.is(action({ severity: 'warning' }), 'trigger');
  t.is(action({ severity: 'information', type: 'hook', action: 'test' }), 'trigger');
});

test('a hook with a format posts the message, with its key in the body and no signature', async (t) => {
  const hooks = await startHooks(t, await openOwnStore(scope));
  const receiver = await startReceiver(t);
  await hooks.make({ url: receiver.url, format: 'pagerduty', secret: KEY });
  await hooks.take(nodeEvent({ action: 'added' }));
  const [post] = await receiver.posted.until((all) => all.length === 1);
  t.true(fits.pagerduty?.(JSON.parse(post?.text ?? '')), JSON.stringify(fits.pagerduty?.errors));
  t.like(JSON.parse(post?.text ?? ''), { routing_key: KEY });
  t.deepEqual(
    Object.keys(post?.headers ?? {}).filter((name) => /webhook|nodewright/.test(name)),
    [],
  );
});
