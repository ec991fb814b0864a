/** Untrusted templates: many are rendered at the same time, and none delays later ones beyond their time limit. */
import test from 'ava';
import { Rendering, type RenderingLimits } from '../../../../engine/inventory/files/rendering.ts';
import type { Scope } from '../../../support/ava/scope.ts';

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

test.serial(
  'many requests of one endless template delay others once, and a template that is fast again leaves the slow lane',
  async (t) => {
    const own = rendering(t, { timeMs: 1_000, waitMs: 120_000 });
    const done: string[] = [];
    const noted = (name: string, asked: Promise<string>) =>
      asked.then(
        () => done.push(name),
        () => done.push(name),
      );
    const slow = Array.from({ length: 8 }, () => noted('slow', own.render('slow', endless, {})));
    const good = Array.from({ length: 20 }, () => noted('good', own.render('good', 'good', {})));
    await Promise.all([...slow, ...good]);
    t.is(done.filter((name) => name === 'good').length, 20);
    t.is(done.at(-1), 'slow', done.join(' '));
    t.true(done.slice(0, done.lastIndexOf('good')).filter((name) => name === 'slow').length < 8, done.join(' '));
    // By what it is given, the same template is endless or not.
    const sometimes = '<% while (endless) {} %>it is <%= endless %>';
    await t.throwsAsync(own.render('sometimes', sometimes, { endless: true }), { code: 'INVALID' });
    for (const _ of [1, 2]) t.is(await own.render('sometimes', sometimes, { endless: false }), 'it is false');
  },
);

test.serial('requests beyond the queue limit are rejected immediately', async (t) => {
  const own = rendering(t, { waiting: 3, waitMs: 120_000 });
  const waiting = Array.from({ length: 3 }, () => own.render('boot', 'good', {}));
  await t.throwsAsync(own.render('boot', 'good', {}), { code: 'UNAVAILABLE' });
  t.deepEqual(await Promise.all(waiting), ['good', 'good', 'good']);
});
