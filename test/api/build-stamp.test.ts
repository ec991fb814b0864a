import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { isCurrent, stampOf } from '../../api/build/build-stamp.mjs';
import { folder } from '../support/ava/folder.ts';

const BUILDERS = [
  'api/build/build.mjs',
  'api/build/build-stamp.mjs',
  'api/build/bundling.mjs',
  'package.json',
  'tsconfig.json',
];
const INPUTS = ['engine/a.ts', 'node_modules/@scope/one/lib/a.js', 'node_modules/two/a.js'];
/** npm's list of the packages. */
const INSTALLED_LIST = 'node_modules/.package-lock.json';

/** A folder with the files of a build, and its stamp. */
function built(t: ExecutionContext) {
  const root = folder(t);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const path of [...BUILDERS, ...INPUTS, INSTALLED_LIST, 'out.mjs']) put(path, 'text 1');
  const stamp = join(root, 'stamp.json');
  const make = (start: number) => stampOf(INPUTS, [join(root, 'out.mjs')], root, start);
  writeFileSync(stamp, make(Date.now() + 60_000));
  return { root, put, make, current: () => isCurrent(stamp, root) };
}

test('a build whose files are unchanged is current', (t) => {
  const { current } = built(t);
  t.true(current());
});

test('a build is not current after a change of a source, a builder or the installed packages', (t) => {
  for (const path of ['engine/a.ts', 'api/build/build.mjs', INSTALLED_LIST]) {
    const { put, current } = built(t);
    put(path, path === INSTALLED_LIST ? 'text 2' : 'another text');
    t.false(current(), path);
  }
});

test('a copy whose times have whole seconds, as in an image, is current until a file changes', (t) => {
  const { root, put, current } = built(t);
  const wholeSeconds = (path: string, round: (seconds: number) => number) => {
    const time = round(statSync(join(root, path)).mtimeMs / 1_000);
    utimesSync(join(root, path), time, time);
  };
  for (const path of BUILDERS) wholeSeconds(path, Math.floor);
  wholeSeconds('engine/a.ts', Math.ceil);
  t.true(current());
  put('engine/a.ts', 'text 2');
  t.false(current());
});

test('a build is not current without one of its sources, of its files, its packages, or its stamp', (t) => {
  for (const path of ['engine/a.ts', 'out.mjs', INSTALLED_LIST, 'stamp.json']) {
    const { root, current } = built(t);
    rmSync(join(root, path));
    t.false(current(), path);
  }
});

test('a build during which a file changed gets no stamp', (t) => {
  const { make } = built(t);
  t.throws(() => make(Date.now() - 60_000), { message: /api\/build\/build.mjs changed during the build/ });
});
