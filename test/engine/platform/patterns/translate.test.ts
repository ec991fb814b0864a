/**
 * Patterns match as in JavaScript's own engine, which is the oracle here, for patterns and texts where it terminates.
 */
import test from 'ava';
import fc from 'fast-check';
import { matches, problemWith } from '../../../../engine/platform/patterns/patterns.ts';

function plain(pattern: string, text: string): boolean {
  try {
    return positions(text).some((at) => matchesAt(new RegExp(pattern, 'uy'), text, at));
  } catch {
    return new RegExp(pattern).test(text);
  }
}

/** Where a match can begin. V8 finds `/\B/u` also within a surrogate pair, where the language has no position. */
function positions(text: string): number[] {
  const all = [0];
  let at = 0;
  for (const one of text) {
    at += one.length;
    all.push(at);
  }
  return all;
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

const units = ['a', 'b', 'A', '_', '1', '9', ' ', '-', '.', '/', '\\', '^', '$', ']', '}', '\0', '\b'];
const others = ['\t', '\n', '\r', '\u2028', '\u00a0', '\ufeff', 'é', 'ſ', 'Ω', 'ω', '\ud83d', '\ude00', '\u{1f600}'];
const texts = fc.string({ unit: fc.constantFrom(...units, ...others), maxLength: 12 });

const leaf = fc.constantFrom(
  ...['a', 'b', 'A', '1', '-', ' ', 'é', 'Ω', '\u{1f600}', '.', '^', '$', '\\b', '\\B', '[^]', '[]', '(?:)'],
  ...['\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\t', '\\n', '\\r', '\\v', '\\f', '\\0', '\\cJ', '\\x61', '\\u00e9'],
  ...[
    '\\/',
    '\\.',
    '\\\\',
    '\\^',
    '\\$',
    '\\]',
    '\\}',
    '\\ud83d\\ude00',
    '\\u{1f600}',
    '\\p{L}',
    '\\P{Lu}',
    '\\p{Script=Greek}',
  ],
);
const item = fc.constantFrom(
  ...[
    'a',
    '1',
    'a-b',
    '0-9',
    '\\d',
    '\\W',
    '\\s',
    '\\S',
    '.',
    '$',
    '\\b',
    '\\]',
    '\\^',
    '\\-',
    '\\\\',
    '\\u{1f600}',
    'Ω',
  ],
  ...['\\n', '\\0', '\\u2028', '\\p{Ll}', '\\x41-\\x5a', '\u{1f5ff}-\u{1f640}'],
);
const characterClass = fc
  .tuple(fc.constantFrom('[', '[^'), fc.array(item, { maxLength: 4 }))
  .map(([open, items]) => `${open}${items.join('')}]`);
const isAssertion = (pattern: string) => ['^', '$', '\\b', '\\B'].includes(pattern);
const quantifier = fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{0}', '{1,}', '{0,2}', '{1,3}?');

const { pattern: patterns } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
  term: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: leaf },
    { weight: 2, arbitrary: characterClass },
    tie('pattern').map((inner) => `(${inner})`),
    tie('pattern').map((inner) => `(?:${inner})`),
    fc.tuple(tie('term'), quantifier).map(([term, more]) => {
      if (isAssertion(term)) return term;
      return /[*+?}]$/.test(term) && !/^\\/.test(term) ? `(?:${term})${more}` : `${term}${more}`;
    }),
  ),
  pattern: fc
    .array(fc.array(tie('term'), { maxLength: 4 }), { minLength: 1, maxLength: 2 })
    .map((branches) => branches.map((terms) => terms.join('')).join('|')),
}));

test('a pattern matches the same texts as in JavaScript', (t) => {
  fc.assert(
    fc.property(patterns, fc.array(texts, { minLength: 5, maxLength: 5 }), (pattern, all) => {
      fc.pre(isValid(pattern) && !/\\0\d/.test(pattern));
      t.is(problemWith(pattern), undefined, pattern);
      for (const text of all)
        t.is(matches(pattern, text), plain(pattern, text), `/${pattern}/ ${JSON.stringify(text)}`);
    }),
    { numRuns: 3_000 },
  );
});

test('a pattern matches nothing within a character', (t) => {
  t.false(matches('\\B', '_\u{1f600}a'));
  t.true(matches('\\B', '_\u{1f600}'));
});

function isValid(pattern: string): boolean {
  try {
    plain(pattern, '');
    return true;
  } catch {
    return false;
  }
}

/** Without the flag `u`: characters and escapes that are only valid, or differ, in that mode. */
const lenient = [
  'a{',
  'a{,2}',
  ']',
  '}',
  '{',
  '\\-',
  '\\a',
  '\\"',
  '[\\w-a]',
  '[a-\\d]',
  '\\x1',
  'a{1',
  '\\_',
  '[\\a]',
  '\\:',
];

for (const pattern of lenient) {
  test(`/${pattern}/, which is valid only without the flag u, matches the same texts as in JavaScript`, (t) => {
    t.is(problemWith(pattern), undefined);
    fc.assert(fc.property(texts, (text) => t.is(matches(pattern, text), new RegExp(pattern).test(text), text)));
    for (const text of ['a{', 'a{,2}', '-', 'a"', 'x1', 'a{1', '{', '}', ']', ':']) {
      t.is(matches(pattern, text), new RegExp(pattern).test(text), text);
    }
  });
}

test('groups may have names, and a lazy quantifier finds the same texts', (t) => {
  t.true(matches('^(?<year>\\d{4})-(?<month>\\d\\d)$', '2026-01'));
  t.false(matches('^(?<year>\\d{4}?)-(?<month>\\d\\d)$', '2026-1'));
});

test('a look-ahead that is a whole alternative is a plain group', (t) => {
  for (const pattern of ['^(?=.*one)|(?=.*two)', '(?=two)', 'x|^(?=a two)']) {
    for (const text of ['a two', 'one', 'the one', 'three', '']) {
      t.is(matches(pattern, text), new RegExp(pattern, 'u').test(text), `${pattern} on '${text}'`);
    }
  }
});

for (const [pattern, message] of [
  ['(', /is not a JavaScript regular expression/],
  ['a(?=b)', /uses a look-ahead/],
  ['a(?!b)', /uses a look-ahead/],
  ['(?=a)b', /uses a look-ahead/],
  ['((?=a))b', /uses a look-ahead/],
  ['(?=a)*', /uses a look-ahead/],
  ['(?<=a)b', /uses a look-behind/],
  ['(?<!a)b', /uses a look-behind/],
  ['(a)\\1', /uses a back-reference \(\\1\)/],
  ['(?<n>a)\\k<n>', /uses a back-reference/],
  ['\\01', /uses an octal escape/],
  ['\\p{Alphabetic}', /uses a Unicode property/],
  ['(a{1000}){1000}', /has the size 1000000/],
  ['a{99999999999999999999}', /repeats more than 1000 times/],
  ['a{1001,}', /repeats more than 1000 times/],
  ['((((a{20}){20}){20}){20}){20}', /has the size/],
  ['(\\p{L}{50}){50}', /has the size/],
  ['a'.repeat(5_000), /of 5000 characters; expected at most 4096/],
] as const) {
  test(`/${pattern.slice(0, 40)}/ is rejected with the reason`, (t) => {
    t.regex(problemWith(pattern) ?? '', message);
    t.is(matches(pattern, 'a'), undefined);
  });
}

test('patterns that backtrack exponentially in other engines return a result', (t) => {
  for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(a*)*b', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y']) {
    t.false(matches(pattern, `${'a'.repeat(10_000)}!`), pattern);
  }
});

test('a text that is too long for the pattern is not tried', (t) => {
  t.is(matches('a{1000}b', 'a'.repeat(100_000)), undefined);
  t.true(matches('^a*$', 'a'.repeat(100_000)));
});
