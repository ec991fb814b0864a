/** The sandbox renders like plain EJS, which is the oracle here, for harmless templates. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'ava';
import fc from 'fast-check';
import { Rendering } from '../../../../engine/inventory/files/rendering.ts';
import { packagePath } from '../../../../engine/vocabulary/package-path.ts';
import { codePoint } from '../../../support/data/code-point.ts';

const ejs: { render(text: string, variables: object): string } = createRequire(import.meta.url)('ejs');
const rendering = new Rendering({ timeMs: 60_000, waitMs: 120_000 });
test.after.always(() => rendering.close());

/** undefined: it does not render. */
function plain(text: string, variables: object): string | undefined {
  try {
    return ejs.render(text, structuredClone(variables));
  } catch {
    return undefined;
  }
}
const sandboxed = (text: string, variables: Record<string, unknown>) =>
  rendering.render('t', text, variables).catch(() => undefined);

const expression = fc.constantFrom(
  ...['a', 'b.c', 'list.length', 'list.map((x) => x * 2)', 'locals.a', 'locals.none', 'none', 'b.none.none', 'nothing'],
  ...[
    'a ? "yes" : "no"',
    ['`$', '{a}-$', '{list}`'].join(''),
    'String(a).toUpperCase()',
    'JSON.stringify(b)',
    'Object.keys(b)',
    '"%" + ">"',
  ],
  ...[
    'a.replace(/[<&]/g, "x")',
    'a && " and"',
    'list.join("\\n")',
    '[..."é😀"].length',
    '1e21',
    '-0',
    'typeof none',
    '/* c */ 1',
  ],
  ...[
    'new Date(0).toISOString()',
    '"ß".toUpperCase()',
    '[3, 1, 2].sort()',
    'parseInt("0x1f")',
    '(0.1 + 0.2).toFixed(3)',
  ],
);
const block = fc.constantFrom(
  ...[
    'if (a) { %>x<% } else { %>y<% }',
    'for (const x of list) { %>[<%= x %>]<% }',
    'list.forEach((x) => { -%>\n<%- x %>\n<% })',
  ],
  ...[
    'const own = 1',
    'var a = 2',
    'if (a) {',
    '}',
    'switch (list[0]) { case 1: %>one<% }',
    'while (list.length > 1) list.pop()',
  ],
);
const fragment = fc.oneof(
  fc.constantFrom(
    'text',
    '\n',
    '  ',
    '\r\n',
    '<b>&"\'',
    ['`$', '{a}`'].join(''),
    '\\',
    '\\n',
    '<%%',
    '%%>',
    '%>',
    '<%',
    '-%>',
    '\u2028',
    'é😀',
    '\0',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc
    .tuple(fc.constantFrom('<%=', '<%-', '<%'), expression, fc.constantFrom('%>', '-%>', '_%>'))
    .map((all) => all.join(' ')),
  fc.tuple(fc.constantFrom('<%', '<%_'), block, fc.constantFrom('%>', '-%>', '_%>')).map((all) => all.join(' ')),
  expression.map((text) => `<%# ${text} %>`),
);
const variables = fc.record({
  a: fc.oneof(
    fc.string({ unit: codePoint }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('<i>', '\0', '\ud83d'),
  ),
  b: fc.record({ c: fc.jsonValue() }),
  list: fc.array(fc.oneof(fc.integer({ max: 9 }), fc.string()), { minLength: 1, maxLength: 4 }),
  nothing: fc.constant(null),
});

test('a template renders or fails as with plain EJS', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fragment, { maxLength: 6 }), variables, async (parts, given) => {
      const text = parts.join('');
      const json = JSON.parse(JSON.stringify(given));
      t.is(await sandboxed(text, json), plain(text, json), JSON.stringify(text));
    }),
    { numRuns: 150 },
  );
});

test('each built-in profile renders as with plain EJS', async (t) => {
  const folder = packagePath('engine/inventory/files/profiles');
  const names = readdirSync(folder);
  t.true(names.length > 3);
  const boot = { kernel: 'http://k/vmlinuz', initrd: 'http://k/initrd', cmdline: 'console=ttyS0' };
  const base = 'http://10.1.1.1:9080/api/current';
  const api = { base, profiles: `${base}/profiles`, templates: `${base}/templates`, files: `${base}/files` };
  const install = {
    repo: 'http://10.1.1.1:9080/os',
    installScript: 'a-script',
    bootConfig: 'a-config',
    comport: 'ttyS0',
    interface: 'auto',
    hostname: 'node-1',
    domain: null,
    arguments: 'quiet',
  };
  for (const name of names) {
    const text = readFileSync(`${folder}/${name}`, 'utf8');
    for (const given of [
      { boot, task: { callback: 'http://10.1.1.1:9080/api/current/notification/callback?nonce=n' } },
      { boot: { kernel: 'k' }, task: { callback: null } },
    ]) {
      const all = {
        api,
        install: { ...install, iso: 'http://10.1.1.1:9080/os.iso' },
        file: { server: 'http://10.1.1.1:9080' },
        nodeId: 'n1',
        server: '10.1.1.1',
        port: 9080,
        macaddress: '02:00:00:00:00:01',
        nodeKey: 'n1.key',
        ...given,
      };
      const output = await rendering.render(name, text, all);
      t.is<string | undefined, string | undefined>(output, plain(text, all));
      t.is(await rendering.render(name, text, all, true), output, 'in the process');
      t.true(output.startsWith(name.endsWith('.sh') ? '#!/bin/sh\n' : '#!ipxe'), name);
    }
  }
});

test('an included template that does not render is explained as by the sandbox', async (t) => {
  const text = 'a\n<%= install.repo %>';
  const inSandbox = await t.throwsAsync(rendering.render('p', text, {}));
  const included = await t.throwsAsync(rendering.render('p', text, {}, true));
  t.is(included?.message, inSandbox?.message);
  t.regex(included?.message ?? '', /^p does not render: line 2: .*install/);
});

test('only a template that is said to be included reaches the process', async (t) => {
  const text = '<%= process.pid %>';
  t.is(await rendering.render('p', text, {}, true), String(process.pid));
  await t.throwsAsync(rendering.render('p', text, {}), { message: /process/ });
});
