import test from 'ava';
import { redact, redactText, shownText } from '../../../engine/vocabulary/conceal.ts';

const texts: [string, string, string][] = [
  ['a password in a URL', 'see http://root:calvin@10.1.1.1/x', 'see http://root:REDACTED@10.1.1.1/x'],
  ['a password with an @ in a URL', 'ftp://u:p@ss@host/', 'ftp://u:REDACTED@host/'],
  ['a token instead of a user', 'https://ghp12345@github.com/x', 'https://REDACTED@github.com/x'],
  ['a parameter of a URL', 'http://h/?a=1&access_token=abc&b=2', 'http://h/?a=1&access_token=REDACTED&b=2'],
  ['an assignment', 'mysql --password=foo -h x', 'mysql --password=REDACTED -h x'],
  ['one in quotes', `TOKEN="a \\" b" other='c'`, `TOKEN="REDACTED" other='c'`],
  ['a header', 'GET /\nX-Auth-Token: abc def\nAccept: x', 'GET /\nX-Auth-Token: REDACTED\nAccept: x'],
  ['JSON in a text', 'said {"user":"u","password": "p\\"q"}', 'said {"user":"u","password": "REDACTED"}'],
  ['JSON in JSON', '{"body":"{\\"token\\":\\"abc\\"}"}', '{"body":"{\\"token\\":\\"REDACTED\\"}"}'],
  ['a bearer token', 'sent Bearer eyJhbGciOi.x.y', 'sent Bearer REDACTED'],
  ['basic credentials', 'sent Basic cm9vdDpjYWx2aW4=', 'sent Basic REDACTED'],
];

for (const [what, text, shown] of texts) {
  test(`${what} is hidden, and the text around it is not`, (t) => {
    t.is(redactText(text), shown);
    t.is(redactText(shown), shown);
  });
}

const plain = [
  'options.password: is missing',
  'give a bearer authentication, or basic commands',
  'http://10.1.1.1:8080/a@b?x=1',
  'mail a@b.example; ratio 1:2, a=b',
  'http://{{ options.user }}:{{ options.password }}@host/?token={{ env.token }}',
  '--password={{ options.password }}',
];

for (const text of plain) test(`the text ${text} is shown unchanged`, (t) => t.is(redactText(text), text));

test('the values of a list of names and values are hidden by their names', (t) => {
  const headers = [
    { name: 'X-Auth-Token', value: 'abc' },
    { name: 'Accept', value: 'json' },
  ];
  t.deepEqual(redact([], headers), [
    { name: 'X-Auth-Token', value: 'REDACTED' },
    { name: 'Accept', value: 'json' },
  ]);
});

test('the user of a URL is hidden with the password, even if the text has escaped quotes', (t) => {
  t.is(shownText('{"a":"http://u:p\\"q@h/x"}'), '{"a":"http://REDACTED@h/x"}');
  t.is(shownText('{"a":"http://h","b":"x@y"}'), '{"a":"http://h","b":"x@y"}');
});

test('a long text is scanned in linear time', (t) => {
  const size = 300_000;
  for (const part of [
    'a',
    '\\',
    '"',
    '"a',
    '://',
    'a=',
    'a="',
    'a="\\"',
    'basic ',
    '\n',
    'a-',
    ' ',
    '":"',
    '\\"a\\":\\"',
  ]) {
    const text = part.repeat(size / part.length);
    const since = performance.now();
    redactText(text);
    shownText(text);
    // A quadratic scan would take minutes.
    t.true(performance.now() - since < 20_000, part);
  }
});
