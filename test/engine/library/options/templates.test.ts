import test from 'ava';
import fc from 'fast-check';
import { type Root, roots } from '../../../../engine/library/options/expression.ts';
import { render, renderKnown, rootsOf, type Scope } from '../../../../engine/library/options/templates.ts';
import { NodewrightError, VIOLATIONS_LIMIT } from '../../../../engine/vocabulary/errors.ts';

const scope: Scope = {
  options: { plain: 'p', nested: 'at {{ server.host }}', twice: '{{ options.nested }}', loop: '{{ options.loop }}' },
  context: { 'step-1': { value: 7, list: ['a', 'b'], text: '{{ server.host }}' } },
  task: { nodeId: 'n1' },
  server: { host: 'h', port: 80, on: false, nothing: null },
};

const renders: [template: unknown, value: unknown][] = [
  ['no template', 'no template'],
  ['{{ server.port }}', 80],
  ['{{server.port}}', 80],
  ['{{ server.on }}', false],
  ['{{ context.step-1 }}', scope.context && (scope.context as Record<string, unknown>)['step-1']],
  ['http://{{ server.host }}:{{ server.port }}/', 'http://h:80/'],
  ['list {{ context.step-1.list }}', 'list ["a","b"]'],
  ['{{ context.step-1.list.1 }}', 'b'],
  ["{{ server.none || server.host || 'x' }}", 'h'],
  ["{{ server.none || 'a || }} b' }}", 'a || }} b'],
  ['{{ server.none || "it\'s" }}', "it's"],
  ['{{ server.none || 12 }}', 12],
  ['{{ server.none || true }}', true],
  ["{{ server.nothing || '' }}", ''],
  [
    { a: ['{{ server.port }}', { b: '{{ task.nodeId }}' }], c: null },
    { a: [80, { b: 'n1' }], c: null },
  ],
  ['{{ options.nested }}', 'at h'],
  ['{{ options.twice }}', 'at {{ server.host }}'],
  ['{{ options.loop }}', '{{ options.loop }}'],
  ['{{ context.step-1.text }}', '{{ server.host }}'],
];

for (const [template, value] of renders) {
  test(`${JSON.stringify(template)} renders as ${JSON.stringify(value)}`, (t) => {
    t.deepEqual(render(template, scope), value);
  });
}

const missing = ['{{ server.none }}', '{{ server.nothing }}', '{{ server.none || context.no.way }}', '{{ sku.x }}'];
const prototype = [
  '{{ server.constructor }}',
  '{{ server.__proto__ }}',
  '{{ context.step-1.list.map }}',
  '{{ options.toString }}',
];

for (const template of [...missing, ...prototype]) {
  test(`${template} is undefined, and the error names it`, (t) => {
    const error = t.throws(() => render({ a: [template] }, scope)) as NodewrightError;
    t.is(error.code, 'TEMPLATE_VALUE_MISSING');
    t.true(error.message.includes(template.slice(3, -3)));
    t.true(error.message.startsWith('a.0'));
  });
}

for (const template of [
  '{{ }}',
  '{{ server.host',
  '{{ a b }}',
  '{{ process.env }}',
  "{{ 'a }}",
  '{{ server. }}',
  '{{ server.host || }}',
  '{{ server.a | server.b }}',
]) {
  test(`${template} is malformed, and the error states the expected form`, (t) => {
    const error = t.throws(() => render(template, scope)) as NodewrightError;
    t.is(error.code, 'INVALID_OPTIONS');
    t.regex(error.message, /expected/);
  });
}

test('a key __proto__ stays a key', (t) => {
  const rendered = render(JSON.parse('{"__proto__": {"x": "{{ server.port }}"}}'), scope) as object;
  t.deepEqual(Object.keys(rendered), ['__proto__']);
  t.is((rendered as { x?: unknown }).x, undefined);
});

test('a value that is only known later is left unchanged and reported as deferred', (t) => {
  const rendered = renderKnown(
    { 'a/b': ['{{ context.x }}'], c: '{{ server.port || context.x }}' },
    scope,
    new Set<Root>(['context']),
  );
  t.deepEqual(rendered.value, { 'a/b': ['{{ context.x }}'], c: 80 });
  t.deepEqual(rendered.unknown, ['/a~1b/0']);
});

test('the roots of a value are the roots that its templates name', (t) => {
  t.deepEqual(
    [...rootsOf({ a: '{{ server.x || context.y }}', b: ['{{ sku.z }}', 'none'] })],
    ['server', 'context', 'sku'],
  );
});

test('templates cannot produce more than the size limit of a request', (t) => {
  const big = { options: { big: 'x'.repeat(1024 * 1024) } };
  const error = t.throws(() =>
    render(
      Array.from({ length: 20 }, () => '{{ options.big }}'),
      big,
    ),
  ) as NodewrightError;
  t.is(error.code, 'INVALID_OPTIONS');
});

test('the work for templates is limited, whatever multiplies them, and so are their violations', (t) => {
  const items = Array(20_000).fill('');
  const many = (text: string) => text.repeat(20_000);
  for (const options of [
    { items, section: `{{#options.items}}${many('{{.}}')}{{/options.items}}` },
    { items, section: `{{#options.items}}${many('{{missing}}')}{{/options.items}}` },
    { items, other: many('{{options.items}}') },
    { other: many('{{sku.a}}') },
    { other: `{{${'sku.a||'.repeat(500)}1}}`, another: many('{{options.other}}') },
  ]) {
    const { violations } = renderKnown(options, { options }, new Set());
    t.regex(violations.map(({ message }) => message).join(), /shorten the options|has no value/);
    t.true(violations.length <= VIOLATIONS_LIMIT);
  }
});

test('values that are nested too deep are rejected, not followed', (t) => {
  let deep: unknown = 'x';
  for (let n = 0; n < 100_000; n++) deep = [deep];
  t.is((t.throws(() => render(deep, scope)) as NodewrightError).code, 'INVALID_OPTIONS');
});

test('rendering any value throws only the named errors', (t) => {
  const piece = fc.oneof(
    fc.constantFrom(
      '{{',
      '}}',
      '||',
      '|',
      "'",
      '"',
      ' ',
      '.',
      'options.a',
      'context',
      '__proto__',
      '-1',
      'null',
      ...roots,
    ),
    fc.string(),
  );
  const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.jsonValue(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  const property = fc.property(value, value, (template, options) => {
    try {
      render(template, { ...scope, options, context: options });
      t.pass();
    } catch (error) {
      const code = error instanceof NodewrightError ? error.code : String(error);
      t.true(['TEMPLATE_VALUE_MISSING', 'INVALID_OPTIONS'].includes(code), code);
    }
  });
  fc.assert(property, { numRuns: 2_000 });
});
