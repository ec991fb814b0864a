/** Untrusted templates: many are rendered at once, and none delays later ones beyond their time limit. */
import test from 'ava';
import { Rendering, type RenderingLimits } from '../../../engine/files/rendering.ts';
import type { Scope } from '../../support/scope.ts';

const endless = '<% for (;;) {} %>';

function rendering(t: Scope, limits: Partial<RenderingLimits> = {}): Rendering {
  const made = new Rendering(limits);
  t.teardown(() => made.close());
  return made;
}

test.serial(
  'a rack that is switched on is answered: each of thousands of concurrent requests gets its own result',
  async (t) => {
    const own = rendering(t, { waitMs: 120_000 });
    const asked = Array.from({ length: 2_000 }, (_, n) => own.render('boot', 'node <%= n %>', { n }));
    t.deepEqual(
      await Promise.all(asked),
      asked.map((_, n) => `node ${n}`),
    );
  },
);

test.serial(
  'a request that waited too long behind slow templates is asked to retry, and the next one is served',
  async (t) => {
    const own = rendering(t, { timeMs: 1_000, waitMs: 500 });
    const slow = own.render('slow', endless, {});
    const behind = Array.from({ length: 20 }, () => own.render('behind', 'good', {}));
    await t.throwsAsync(slow, { code: 'INVALID', message: /slow does not render/ });
    for (const one of behind) await t.throwsAsync(one, { code: 'UNAVAILABLE', message: /waiting to be rendered/ });
    t.is(await own.render('later', 'good', {}), 'good');
  },
);

test.serial('requests beyond the queue limit are rejected at once', async (t) => {
  const own = rendering(t, { waiting: 3, waitMs: 120_000 });
  const waiting = Array.from({ length: 3 }, () => own.render('boot', 'good', {}));
  await t.throwsAsync(own.render('boot', 'good', {}), { code: 'UNAVAILABLE' });
  t.deepEqual(await Promise.all(waiting), ['good', 'good', 'good']);
});
