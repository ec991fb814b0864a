/** The health of a hook follows from its deliveries. */
import test from 'ava';
import { hookHealthIn, notRepeated } from '../../api/client/hook-health.ts';

const delivery = (state: 'waiting' | 'delivered' | 'failed', error: string | null, at: string) => ({
  state,
  error,
  createdAt: at,
  updatedAt: at,
});
const untried = delivery('waiting', null, '5');
const tried = delivery('waiting', 'no answer', '1');
const delivered = delivery('delivered', null, '3');
const abandoned = delivery('failed', 'no answer', '2');

test('a hook fails if one of the oldest deliveries that wait was tried, or the last one was given up', (t) => {
  t.like(hookHealthIn(584, [untried, tried], delivered), {
    state: 'critical',
    waiting: 584,
    error: 'no answer',
    at: '1',
  });
  t.like(hookHealthIn(0, [], abandoned), { state: 'critical', waiting: 0, at: '2' });
  t.like(hookHealthIn(1, [untried], delivered), { state: 'ok', waiting: 1, error: null, at: '3' });
  t.like(hookHealthIn(0, [], undefined), { state: 'unknown', error: null, at: null });
});

test('a delivery that was repeated already is not repeated again', (t) => {
  const failed = [{ id: 'a' }, { id: 'b' }, { id: 'c', redeliveryOf: 'b' }];
  t.deepEqual(
    notRepeated(failed, [{ id: 'd', redeliveryOf: 'a' }]).map(({ id }) => id),
    ['c'],
  );
});
