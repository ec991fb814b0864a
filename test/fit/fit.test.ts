/** The run of RackHD's tests: the copy of the checkout, and the report of their runner. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { folder } from '../support/ava/folder.ts';
import { adaptions } from './adaptions.ts';
import { copyOf } from './checkout.ts';
import { reportIn } from './run.ts';

const ports = { http: 1, https: 2 };

/** A checkout in the shape of RackHD's, with the texts that are adapted. */
function checkout(t: ExecutionContext): string {
  const root = folder(t);
  const texts = new Map([['run_tests.py', '']]);
  for (const { file, from } of adaptions) texts.set(file, `${texts.get(file) ?? ''}${from}\n`);
  texts.set('config/README', '');
  for (const [file, text] of texts) {
    mkdirSync(dirname(join(root, 'test', file)), { recursive: true });
    writeFileSync(join(root, 'test', file), text);
  }
  return root;
}

test('the copy has the address of the daemon, and the adaptions on request; the checkout is unchanged', (t) => {
  const root = checkout(t);
  const [first] = adaptions;
  const read = (copy: string) => readFileSync(join(copy, first?.file ?? ''), 'utf8');
  const before = read(join(root, 'test'));
  const plain = copyOf(root, folder(t), ports, false);
  t.is(read(plain), before);
  t.like(JSON.parse(readFileSync(join(plain, 'config/daemon.json'), 'utf8')), { 'install-config': { ports } });
  const adapted = copyOf(root, folder(t), ports, true);
  t.true(read(adapted).includes(first?.to ?? '?'));
  t.is(read(join(root, 'test')), before);
});

test('a checkout that has changed, and a folder that is none, are rejected', (t) => {
  const root = checkout(t);
  writeFileSync(join(root, 'test', adaptions[0]?.file ?? ''), 'another text');
  t.throws(() => copyOf(root, folder(t), ports, true), { message: /correct test\/fit\/adaptions.ts/ });
  t.throws(() => copyOf(folder(t), folder(t), ports, false), { message: /no checkout of RackHD/ });
});

test('the report has each failed test with its reason, which is the answer of the daemon if one is shown', (t) => {
  const line = '='.repeat(70);
  const text = [
    line,
    'ERROR: test_a (a.A)',
    '-----',
    'Traceback (most recent call last):',
    'ApiException: (400)',
    'HTTP response body: {"code":"INVALID"}',
    line,
    'FAIL: test_b (b.B)',
    '-----',
    'AssertionError: 200 != 404',
    '-------------------- >> begin captured logging << --------------------',
    'Error: of a log line',
    line,
    'ERROR: test_b (b.B)',
    'Error: in its tidying',
    '-----',
    'Ran 9 tests in 1.2s',
    '',
    'FAILED (SKIP=2, errors=1, failures=1)',
  ].join('\n');
  t.deepEqual(reportIn(text), {
    ran: 9,
    skipped: 2,
    failures: [
      { test: 'test_a (a.A)', reason: '{"code":"INVALID"}' },
      { test: 'test_b (b.B)', reason: 'AssertionError: 200 != 404' },
    ],
  });
  t.deepEqual(reportIn('no Python'), { ran: 0, skipped: 0, failures: [] });
});
