import test from 'ava';
import { Attempts } from '../../../api/auth/attempts.ts';
import { TooManyRequests } from '../../../api/http/rejections.ts';

test('ten wrong passwords in a minute are too many, nine are not, and a minute later the count is reset', (t) => {
  let now = 0;
  const attempts = new Attempts(() => now);
  for (let i = 0; i < 9; i += 1) attempts.countWrong(['user a']);
  t.notThrows(() => attempts.rejectTooMany(['user a']));
  now = 30_000;
  attempts.countWrong(['user a']);
  const rejected = t.throws(() => attempts.rejectTooMany(['address x', 'user a']), { instanceOf: TooManyRequests });
  t.is(rejected?.retryAfter, 30);
  now = 60_000;
  t.notThrows(() => attempts.rejectTooMany(['user a']));
});

test('the wrong passwords of one name do not count against another', (t) => {
  const attempts = new Attempts(() => 0);
  for (let i = 0; i < 10; i += 1) attempts.countWrong(['user a', 'address x']);
  t.throws(() => attempts.rejectTooMany(['user b', 'address x']));
  t.notThrows(() => attempts.rejectTooMany(['user b', 'address y']));
});

test('an endless number of names does not use endless memory: the oldest are dropped', (t) => {
  const attempts = new Attempts(() => 0);
  for (let i = 0; i < 10; i += 1) attempts.countWrong(['user old']);
  for (let i = 0; i < 10_000; i += 1) attempts.countWrong([`user ${i}`]);
  t.notThrows(() => attempts.rejectTooMany(['user old']));
});

test('a name is remembered only as long as its wrong passwords count', (t) => {
  let now = 0;
  const attempts = new Attempts(() => now);
  for (let i = 0; i < 100; i += 1) attempts.countWrong([`user ${i}`]);
  t.is(attempts.size, 100);
  now = 60_000;
  attempts.countWrong(['user late']);
  t.is(attempts.size, 1);
});
