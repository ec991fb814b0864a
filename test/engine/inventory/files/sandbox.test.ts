/** Untrusted templates cannot leave the sandbox, exhaust the machine, or affect the next template. */
import test from 'ava';
import { Rendering } from '../../../../engine/inventory/files/rendering.ts';
import { escapes, poisons, rejected } from '../../../support/data/hostile-templates.ts';

const variables = { name: '<b>', list: [1, 2], text: 'a\0\ud83d' };
const benign =
  '<%= name %> <%- list.join("+") %> <%= JSON.stringify({}) %> <%= String({}) %> <%= typeof polluted %><%= typeof kept %>';
const rendered = '&lt;b&gt; 1+2 {} [object Object] undefinedundefined';
/** Bytes by which the daemon's memory may grow after hundreds of hostile templates. */
const GROWTH = 400 * 1_024 * 1_024;

const rendering = new Rendering({ timeMs: 300, graceMs: 300, waitMs: 120_000 });
test.after.always(() => rendering.close());
const before = process.memoryUsage.rss();

const render = (text: string) => rendering.render('t', text, variables);

test.afterEach.always('a harmless template renders', async (t) => {
  t.is(await render(benign), rendered);
});

for (const template of escapes) {
  test.serial(`the template ${template.slice(0, 90)} reaches nothing of the daemon`, async (t) => {
    const output = await render(template).catch(({ code }) => {
      t.is(code, 'INVALID');
      return 'undefined';
    });
    t.regex(output, /^(?:undefined,?|none)+$/);
  });
}

for (const [what, template] of Object.entries(rejected)) {
  test.serial(`${what} does not render`, async (t) => {
    const error = await t.throwsAsync(render(template), { code: 'INVALID', message: /^t does not render: ./ });
    t.true((error?.message.length ?? 0) < 400);
  });
}

for (const template of poisons) {
  test.serial(`the template after ${template.slice(0, 90)} is unaffected`, async (t) => {
    await render(template).catch(({ code }) => t.is(code, 'INVALID'));
    t.is(await render(benign), rendered);
  });
}

test.serial('variables with keys and texts of every kind arrive unchanged', async (t) => {
  const hostile = JSON.parse(
    '{"__proto__":{"x":1},"constructor":"c","toString":"s","a b":1,"text":"\\u0000\\ud83d\\u2028"}',
  );
  const shown = '<%- JSON.stringify(locals) %>|<%= typeof x %>|<%= constructor %>|<%= toString %>|<%- text %>';
  t.is(await rendering.render('t', shown, hostile), `${JSON.stringify(hostile)}|undefined|c|s|\0\ud83d\u2028`);
  t.is(await rendering.render('t', 'a\0b\ud83dc\u2028\r\n<%= 1 %>', {}), 'a\0b\ud83dc\u2028\r\n1');
});

test.serial('an error states its line and its cause', async (t) => {
  await t.throwsAsync(render('a\n<% null.f() %>'), { message: /^t does not render: line 2: .*null/ });
  await t.throwsAsync(render('<% throw "plain" %>'), { message: 't does not render: line 1: plain' });
});

test.serial('the longest allowed output is rendered', async (t) => {
  const long = 4 * 1_024 * 1_024;
  const own = new Rendering({ timeMs: 60_000 });
  t.teardown(() => own.close());
  t.is((await own.render('t', `<%- "<".repeat(${long}) %>`, {})).length, long);
  t.is(await own.render('t', benign, variables), rendered);
});

test.serial('the memory of the daemon stays bounded after all templates', (t) => {
  const grown = process.memoryUsage.rss() - before;
  t.true(grown < GROWTH, `${Math.round(grown / 1_048_576)} MiB`);
});
