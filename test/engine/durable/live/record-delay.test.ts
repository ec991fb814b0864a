import test from 'ava';
import { RecordDelay } from '../../../../engine/durable/live/record-delay.ts';

const delayAfter = (...lifetimes: readonly number[]): number => {
  const delay = new RecordDelay();
  for (const ms of lifetimes) delay.add(ms);
  return delay.ms;
};
const many = (ms: number) => Array<number>(200).fill(ms);

test('the record of a new row waits for four times the lifetime of most rows, from 1 s to 30 s', (t) => {
  t.is(delayAfter(), 1_000, 'without any row');
  t.is(delayAfter(...many(50)), 1_000);
  t.is(delayAfter(...many(2_000)), 8_000);
  t.is(delayAfter(...many(20_000)), 30_000);
});

test('a few long rows do not change the delay, and where most are long, waiting saves nothing', (t) => {
  t.is(delayAfter(...many(2_000), 3_600_000), 8_000);
  t.is(delayAfter(...many(3_600_000), ...many(2_000).slice(0, 50)), 1_000);
});

test('the delay follows the last rows, and another process waits longer than this one', (t) => {
  const delay = new RecordDelay();
  for (const ms of [...many(3_600_000), ...many(2_000), ...many(2_000)]) delay.add(ms);
  t.is(delay.ms, 8_000);
  t.true(delay.takeoverMs >= delay.ms + 3_000);
});
