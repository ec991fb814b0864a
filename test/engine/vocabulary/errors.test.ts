/** The list of error codes: every code is used, every use is listed, and each states its cause and its remedy. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { errorMeanings } from '../../../engine/vocabulary/error-codes.ts';
import { consequences, type ErrorMeaning } from '../../../engine/vocabulary/error-meaning.ts';
import {
  flatten,
  invalidInput,
  NodewrightError,
  PermanentError,
  rejectViolations,
  VIOLATIONS_LIMIT,
  violationError,
  violationList,
} from '../../../engine/vocabulary/errors.ts';
import { warningMeanings } from '../../../engine/vocabulary/warning-codes.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = ['engine', 'graphs', 'tasks', 'api'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|sh)$/.test(name) && !name.endsWith('error-codes.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8')),
);
const codes = Object.keys(errorMeanings) as (keyof typeof errorMeanings)[];

test('every listed code is used', (t) => {
  t.deepEqual(
    // Scripts on nodes have them without quotes.
    codes.filter((code) => !sources.some((text) => new RegExp(`['\\s]${code}['\\s]`).test(text))),
    [],
  );
});

test('every upper-case word in the position of a code is listed', (t) => {
  const used = sources.flatMap((text) =>
    [
      ...text.matchAll(
        /(?:code(?:: | === |\) === )|Error\(\s*|failure\(\s*|rejection\(\s*|,\s+)'([A-Z]+(?:_[A-Z]+)+)'/g,
      ),
    ].map(([, code = '']) => code),
  );
  t.true(new Set(used).size > 30);
  // Codes of Node, OpenSSL, undici and SQLite, names of environment variables, and words of RackHD's command line.
  const others = /^(?:API_|ERR_|UND_|SQLITE_|EAI_|PG_|NODE_|LC_|CERT_|SELF_SIGNED_|UNABLE_TO_)/;
  // Causes for which a workflow is stuck, which is no error yet.
  const causes = ['AGENT_SILENT', 'LONG_WAIT'];
  t.deepEqual(
    [...new Set(used)].filter((code) => !(code in errorMeanings) && !(code in warningMeanings) && !others.test(code)),
    causes,
  );
});

for (const code of codes) {
  test(`${code} has a status, a consequence, and whole sentences for its cause and its remedy`, (t) => {
    const { status, consequence, when, help }: ErrorMeaning = errorMeanings[code];
    t.true(status >= 400 && status < 600);
    t.true(consequence in consequences);
    for (const text of [when, help]) t.regex(text, /^[A-Z`].*\.$/s);
    if (['ended', 'start', 'fault'].includes(consequence)) t.is(status, 500);
    const error = new NodewrightError(code, 'found this, expected that');
    t.is(error.status, status);
    t.like(flatten(new PermanentError('m', code)), { code, message: 'm', retry: false });
  });
}

const violations = Array.from({ length: 1_000 }, (_, n) => ({ path: `a.${n}`, message: 'is missing' }));

test('an error for violations names the first one, and reports a limited number', (t) => {
  const error = violationError(violations, { about: 'Invalid body:' });
  t.like(error, { code: 'INVALID', status: 400, message: 'Invalid body: a.0 is missing' });
  t.deepEqual(error.violations, violations.slice(0, VIOLATIONS_LIMIT));
  t.is(new NodewrightError('CONFLICT', 'busy', { violations }).violations?.length, VIOLATIONS_LIMIT);
  t.is(violationList(violations).split('; ').length, VIOLATIONS_LIMIT);
});

test('a violation of the whole input has no path', (t) => {
  const whole = [{ path: '', message: 'must be object' }];
  t.is(violationError(whole, { code: 'INVALID_OPTIONS' }).message, 'it must be object');
  t.is(violationList([...whole, { path: 'a', message: 'is missing' }]), 'must be object; a: is missing');
});

test('one violation, and several, are rejected in the same words; none is no error', (t) => {
  const one = { path: 'a', message: 'is missing' };
  const { message, code, violations: reported } = invalidInput(one.path, one.message);
  t.like(
    t.throws(() => rejectViolations([one])),
    { message, code, violations: reported },
  );
  t.notThrows(() => rejectViolations([]));
});
