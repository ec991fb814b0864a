/** Files that an import rejects: with the line, what was found and what was expected, and without any change. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { inputRules } from '../../../../api/cli/store/record-schemas.ts';
import { openTransfer, readConfig, type Transfer } from '../../../../engine/index.ts';
import { fileScope } from '../../../support/ava/file-scope.ts';
import { folder } from '../../../support/ava/folder.ts';

const HEADER = JSON.stringify({ format: 'nodewright-export', schema: 2 });
const at = '2026-11-23T00:00:00.000Z';
const times = { createdAt: at, updatedAt: at };
const id = (n: number) => `00000000-0000-0000-0000-00000000000${n}`;

const line = (type: string, record: object, more: object = {}) => JSON.stringify({ type, record, ...more });
const node = (n: number, more: object = {}) =>
  line('node', { id: id(n), type: 'compute', name: `n${n}`, identifiers: [], tags: [], ...more, ...times });
const end = (records: number) => JSON.stringify({ type: 'end', records });
const relation = (from: string, to: string) => line('relation', { kind: 'contains', from, to, at: `${at} 000000` });
const hash = `scrypt$16384$8$5$${'A'.repeat(22)}==$${'B'.repeat(43)}=`;
const user = (username: string, more: object = {}) =>
  line('user', { username, role: 'Administrator', password: hash, ...times, ...more });
const obm = (n: number, more: object = {}) =>
  line('obm', { id: `obm${n}`, nodeId: id(1), service: 'ipmi-obm-service', config: { host: 'h' }, ...times, ...more });
const graph = (tasks: object[]) =>
  line('graph', { definition: { friendlyName: 'A', injectableName: 'Graph.A', tasks }, ...times });
const hook = (n: number, more: object = {}) => line('hook', { id: `hook${n}`, url: 'http://h/', ...times, ...more });
const sku = (rules: object[]) => line('sku', { id: 'sku', name: 'S', rules, ...times });

const openIn = (dataDir: string) => {
  const config = readConfig({}, dataDir, { dataDir });
  return openTransfer(config, { info() {}, warn() {} }, false);
};

async function importText(dataDir: string, text: string | Buffer, replace = false) {
  const file = join(dataDir, 'import.jsonl');
  writeFileSync(file, text);
  const transfer = await openIn(dataDir);
  try {
    return await transfer.import({ file, rules: inputRules, replace, lacking() {} }, false);
  } finally {
    await transfer.close();
  }
}

async function recordsIn(dataDir: string): Promise<unknown[]> {
  const transfer = await openIn(dataDir);
  const found = await recordsOf(transfer);
  await transfer.close();
  return found;
}

async function recordsOf(transfer: Transfer): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const read of transfer.lines({ secrets: true, catalogs: true })) found.push(read);
  return found;
}

const linesOf = (...lines: string[]) => [HEADER, ...lines, end(lines.length)].join('\n');

/** The title, the file, the line of the error, and its message. */
const wrong: [what: string, text: string | Buffer, line: number, message: RegExp][] = [
  ['an empty file', '', 1, /found no end, expected/],
  ['another file', 'hello\n', 1, /found no JSON, expected an object in one line/],
  ['a file without a header', `${node(1)}\n${end(1)}`, 1, /found no header, expected \{"format":"nodewright-export"/],
  [
    'a newer schema',
    JSON.stringify({ format: 'nodewright-export', schema: 3 }),
    1,
    /found version 3, expected at most 2/,
  ],
  ['a schema that is no number', JSON.stringify({ format: 'nodewright-export' }), 1, /schema: found no version/],
  ['a file that was cut off', `${HEADER}\n${node(1)}\n`, 3, /found no end, expected .*; the file is incomplete/],
  ['a line that was cut off', `${HEADER}\n${node(1).slice(0, -9)}`, 2, /found no JSON/],
  ['a lost line', [HEADER, node(1), end(2)].join('\n'), 3, /found 1 records before the end/],
  ['a line after the end', `${linesOf(node(1))}\n${node(2)}`, 4, /found a line after the end, expected none/],
  ['bytes that are no text', Buffer.concat([Buffer.from(`${HEADER}\n`), Buffer.from([0xff, 0xfe])]), 2, /no UTF-8/],
  ['an endless line', `${HEADER}\n{"type":"${'x'.repeat(9 * 2 ** 20)}`, 2, /is longer than 8388608 bytes/],
  ['deep nesting', `${HEADER}\n${'['.repeat(200_000)}`, 2, /found no JSON|nested too deeply/],
  ['a deeply nested record', linesOf(node(1, { config: deep(100) })), 2, /config.* is nested/],
  ['a NUL', linesOf(node(1, { service: 'a\0b' })), 2, /service.* has a NUL character/],
  ['a line that is no object', linesOf('[]'), 2, /found no object, expected/],
  ['an unknown type', linesOf(line('workflow', {})), 2, /type: expected one of role, user, sku/],
  ['a type of all objects', linesOf(line('__proto__', {})), 2, /type: expected one of/],
  ['a record that is no object', linesOf('{"type":"node","record":1}'), 2, /record: expected an object/],
  ['an unknown key of a line', linesOf(line('node', {}, { more: 1 })), 2, /more: is unknown; expected type, record/],
  ['withheld that is no list', linesOf(line('node', {}, { withheld: 'x' })), 2, /withheld: expected a list/],
  ['a field of the wrong type', linesOf(node(1, { tags: 'x' })), 2, /record.tags: must be array/],
  ['an unknown field', linesOf(node(1, { sku: 'x' })), 2, /record.sku: is unknown or cannot be set/],
  ['a missing field', linesOf(line('node', { id: id(1), type: 'compute', ...times })), 2, /record.name: is missing/],
  ['a password that is no hash', linesOf(user('a', { password: 'secret' })), 2, /record.password: must match/],
  ['a hash that costs too much', linesOf(user('a', { password: hash.replace('16384', '1048576') })), 2, /password/],
  [
    'an unknown role',
    linesOf(user('a', { role: 'Nobody' })),
    2,
    /record.role: found no role "Nobody" in the file or the/,
  ],
  ['a built-in role', linesOf(line('role', { role: 'Administrator', privileges: [] })), 2, /record.role: is built in/],
  ['an id twice', linesOf(node(1), node(1)), 3, /found the id of line 2 again, expected each once/],
  [
    'an identifier twice, in another form',
    linesOf(node(1, { identifiers: ['52:54:00:00:00:01'] }), node(2, { identifiers: ['5254.0000.0001'] })),
    3,
    /found identifiers of line 2 again/,
  ],
  ['an unknown node', linesOf(node(1), relation(id(1), id(2))), 3, /record.to: found no node "0{8}-\S+" in the file/],
  ['a node that contains itself', linesOf(node(1), relation(id(1), id(1))), 3, /record.to: is the node itself/],
  [
    'two containers',
    linesOf(node(1), node(2), node(3), relation(id(1), id(3)), relation(id(2), id(3))),
    6,
    /found to of line 5 again/,
  ],
  ['two obms of a service', linesOf(node(1), obm(1), obm(2)), 4, /found service of line 3 again/],
  ['an obm without its node', linesOf(obm(1)), 2, /record.nodeId: found no node/],
  [
    'a hidden secret',
    linesOf(node(1), obm(1, { config: { password: 'REDACTED' } })),
    3,
    /config.password: found REDACTED/,
  ],
  [
    'an encrypted secret',
    linesOf(node(1, { config: { a: 'nwsealed.v1.0.AAAA~' } })),
    2,
    /contains an encrypted value; expected the secret itself/,
  ],
  ['a damaged secret', linesOf(node(1, { config: { a: 'x nwclear.v1.0.AAAA~' } })), 2, /contains a damaged secret/],
  ['a cut off secret', linesOf(node(1, { config: { a: 'nwclear.v1.0.AAAA' } })), 2, /contains a damaged secret/],
  ['an unsupported pattern', linesOf(sku([{ path: 'a.b', regex: '(?<=x)y' }])), 2, /record.rules.0.regex: /],
  ['a graph whose labels are not unique', linesOf(graph([noop('a'), noop('a')])), 2, /record.*label/],
  ['a hook without a URL', linesOf(hook(1, { url: 'ftp://h/' })), 2, /record.url: must begin with http/],
  ['two hooks with a URL', linesOf(hook(1), hook(2, { url: 'http://h/#x' })), 3, /found url of line 2 again/],
];

function deep(levels: number): object {
  return levels === 0 ? {} : { a: deep(levels - 1) };
}

function noop(label: string): object {
  return { label, taskName: 'Task.noop' };
}

let home: string;
let empty: Transfer;
const scope = fileScope();
test.before(async () => {
  home = folder(scope);
  empty = await openIn(join(home, 'data'));
});
test.after.always(() => empty?.close());

for (const [what, text, number, message] of wrong) {
  test.serial(`an import rejects ${what}, and changes nothing`, async (t) => {
    const file = join(home, 'import.jsonl');
    writeFileSync(file, text);
    const { problems } = await empty.import({ file, rules: inputRules, replace: false, lacking() {} }, false);
    t.is(problems[0]?.line, number, JSON.stringify(problems));
    t.regex(problems[0]?.message ?? '', message);
    t.deepEqual(await recordsOf(empty), []);
  });
}

test.serial('the errors of all lines are reported, at most 100', async (t) => {
  const dataDir = folder(t);
  const bad = Array.from({ length: 500 }, (_, n) => line('node', { id: `${n}` }));
  const { problems } = await importText(dataDir, linesOf(node(1), ...bad));
  t.is(problems.length, 100);
  t.deepEqual(
    problems.map((problem) => problem.line),
    Array.from({ length: 100 }, (_, n) => n + 3),
  );
});

test.serial('values that belong to another stored record are rejected', async (t) => {
  const dataDir = folder(t);
  t.deepEqual(
    (await importText(dataDir, linesOf(node(1, { identifiers: ['52:54:00:00:00:01'] }), hook(1)))).problems,
    [],
  );
  const before = await recordsIn(dataDir);
  const text = linesOf(node(2, { identifiers: ['525400000001'] }), hook(2), node(3));
  for (const replace of [false, true]) {
    const { problems } = await importText(dataDir, text, replace);
    t.deepEqual(
      problems.map(({ line: found, message }) => [found, message]),
      [
        [2, `record.identifiers: node ${id(1)} in the store has the same value`],
        [3, 'record.url: hook hook1 in the store has the same value'],
      ],
    );
  }
  t.deepEqual(await recordsIn(dataDir), before);
});

test.serial('the maximum of hooks applies to those in the store and in the file together', async (t) => {
  const dataDir = folder(t);
  const hooks = (from: number, count: number) =>
    linesOf(...Array.from({ length: count }, (_, n) => hook(from + n, { url: `http://h/${from + n}` })));
  t.deepEqual((await importText(dataDir, hooks(0, 499))).problems, []);
  t.deepEqual((await importText(dataDir, hooks(498, 3))).problems, [
    { line: 4, message: 'found more than 500 of hook, the maximum' },
  ]);
  t.deepEqual((await importText(dataDir, hooks(498, 2))).counts, { added: 1, replaced: 0, equal: 1 });
});

test.serial('references may lead to records in the store', async (t) => {
  const dataDir = folder(t);
  t.deepEqual((await importText(dataDir, linesOf(node(1)))).problems, []);
  const { problems, counts } = await importText(dataDir, linesOf(node(2), relation(id(1), id(2)), obm(1)));
  t.deepEqual(problems, []);
  t.deepEqual(counts, { added: 3, replaced: 0, equal: 0 });
});

test.serial('secrets that a user writes into a file are encrypted', async (t: ExecutionContext) => {
  const dataDir = folder(t);
  const given = linesOf(node(1, { config: { password: 'plain-secret' } }));
  t.deepEqual((await importText(dataDir, given)).counts, { added: 1, replaced: 0, equal: 0 });
  t.deepEqual((await importText(dataDir, given)).counts, { added: 0, replaced: 0, equal: 1 });
  t.false(JSON.stringify(await recordsIn(dataDir)).includes('plain-secret'));
});
