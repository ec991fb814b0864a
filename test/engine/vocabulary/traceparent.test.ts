/** The header `traceparent`, after W3C Trace Context, 3.2. */
import test from 'ava';
import { traceIdOf, traceparentIn, traceparentText } from '../../../engine/vocabulary/traceparent.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

test('a valid header is read, and written as it was', (t) => {
  for (const [flags, isSampled] of [
    ['01', true],
    ['00', false],
  ] as const) {
    const text = `00-${traceId}-${spanId}-${flags}`;
    const found = traceparentIn(text);
    t.deepEqual(found, { traceId, spanId, isSampled });
    t.is(found && traceparentText(found), text);
    t.is(traceIdOf({ traceparent: text }), traceId);
  }
});

test('other flags than that of sampling, and fields of later versions, are ignored', (t) => {
  t.true(traceparentIn(`00-${traceId}-${spanId}-03`)?.isSampled);
  t.false(traceparentIn(`00-${traceId}-${spanId}-fe`)?.isSampled);
  t.like(traceparentIn(`cc-${traceId}-${spanId}-01-what-the-future-will-be`), { traceId, spanId });
});

test('a header is ignored if the standard forbids it', (t) => {
  const wrong = [
    '',
    'no trace',
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}-1`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01\n`,
  ];
  for (const text of wrong) t.is(traceparentIn(text), undefined, JSON.stringify(text));
});
