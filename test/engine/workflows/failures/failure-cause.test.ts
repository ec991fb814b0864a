/** Causes of failures, and what failed workflows have in common: pure. */
import test from 'ava';
import { withoutNumbers } from '../../../../engine/durable/step/failure-cause.ts';
import { commonFacts } from '../../../../engine/workflows/failures/common-facts.ts';

test('messages that differ by numbers, ids and addresses are the same', (t) => {
  const messages = [
    'no answer of 10.1.2.3:443 within 30 s (workflow 3f2504e0-4f89-41d3-9a0c-0305e82c3301, 52:54:00:aa:bb:0c)',
    'no answer of 10.1.9.77:443 within 5.5 s (workflow 0a2504e0-4f89-41d3-9a0c-0305e82c3399, 52:54:00:12:34:56)',
  ];
  const [first, second] = messages.map(withoutNumbers);
  t.is(first, 'no answer of <n> within <n> s (workflow <id>, <id>)');
  t.is(second, first);
  t.not(withoutNumbers('the drive sda is busy'), withoutNumbers('the drive sdb is busy'));
});

test('a fact is common if the failed ones share it and the succeeded ones lack it', (t) => {
  const failed = Array.from(
    { length: 10 },
    (_, n) =>
      [
        ['rack', 'r1'],
        ['bios', n < 8 ? 'new' : 'old'],
        ['serial', n],
      ] as const,
  );
  const succeeded = Array.from(
    { length: 10 },
    (_, n) =>
      [
        ['rack', 'r1'],
        ['bios', n < 2 ? 'new' : 'old'],
      ] as const,
  );
  t.deepEqual(commonFacts(failed, succeeded), [{ fact: 'bios', value: 'new', of: 10, failed: 8, succeeded: 2 }]);
  t.deepEqual(commonFacts(failed, []), [], 'there is nothing to compare');
  t.deepEqual(commonFacts(failed.slice(0, 1), succeeded), []);
});
