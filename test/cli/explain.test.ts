/** `nw explain`, without a daemon. */
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { terminalText } from '../../api/cli/explanations.ts';
import { folder } from '../support/ava/folder.ts';
import { runCommand } from '../support/console/command.ts';

const explain = (...args: string[]) => runCommand({}, 'explain', ...args);

test('an error, a graph, a task, an event, a metric and a key are explained', (t) => {
  for (const [name, ...parts] of [
    ['NODE_BUSY', 'Another workflow is active', 'Wait for it, or cancel it'],
    ['Graph.Reboot.Node', 'nw run Graph.Reboot.Node NODE --plan'],
    [
      'Task.Obm.Node.Reboot',
      'After a crash: `once`',
      "    import obmNodeReboot from 'nodewright/tasks/obm-node-reboot.ts';",
    ],
    ['node.added', 'A node was created or registered', 'node.added.#'],
    ['nodewright_events_total', 'Published events'],
    ['bodyLimit', 'Bytes of a request body', 'config-schema.ts'],
  ] as const) {
    const { status, stdout, stderr } = explain(name);
    t.is(status, 0, stderr);
    for (const part of [name, 'Meaning', 'Declared in', ...parts]) t.true(stdout.includes(part), `${part}\n${stdout}`);
    t.notRegex(stdout, /\]\(|```|<!--|^#/m);
  }
  t.is(explain('node_busy').stdout, explain('NODE_BUSY').stdout);
  const nested = explain('obm.timeoutMs');
  t.deepEqual([nested.stdout, nested.stderr], [explain('obm').stdout, ''], 'a key within another one');
});

test('a name that 0.2 removes has the page of its new name, which is said beside it', (t) => {
  for (const [old, name] of [
    ['OBM_RESTING', 'OBM_CIRCUIT_OPEN'],
    ['erase_refused', 'ERASE_REJECTED'],
    ['node.southbound.refused', 'node.southbound.rejected'],
  ] as const) {
    const { status, stdout, stderr } = explain(old);
    t.is(status, 0, stderr);
    t.is(stderr, `${old} is called ${name} now; 0.2 removes the old name\n`);
    t.is(stdout, explain(name).stdout);
  }
  t.is(explain('node_refused').status, 2);
});

test('an unknown name is wrong usage, and the message has a near one', (t) => {
  const { status, stderr } = explain('NODE_BUZY');
  t.is(status, 2);
  t.regex(stderr, /found no page of NODE_BUZY; expected a name of .*errors.*did you mean 'NODE_BUSY'\?/);
});

test('--open opens the page at the chosen daemon', async (t) => {
  const own = folder(t);
  const [opener, opened] = [join(own, 'xdg-open'), join(own, 'opened')];
  writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > ${opened}.draft && mv ${opened}.draft ${opened}\n`);
  chmodSync(opener, 0o755);
  const PATH = `${own}:${process.env.PATH}`;
  const { status, stderr } = runCommand({ PATH }, 'explain', 'NODE_BUSY', '--open', '--url', 'http://127.0.0.1:1');
  t.is(status, 0, stderr);
  const url = 'http://127.0.0.1:1/docs/reference/errors/NODE_BUSY';
  t.is(stderr.trim(), url);
  t.is(await textOf(opened), url);
});

test('links, code and emphasis of a page are plain text in a terminal', (t) => {
  const page = '# A\n\n<!-- x -->\n\n## States\n\n```mermaid\nx\n```\n\n**b** [c](d.md)\n\n```sh\nnw ps\n```\n';
  t.is(
    terminalText(page, (text) => text.toUpperCase()),
    'A\n\nB c\n\n    nw ps',
  );
});

/** The opener is another process, which may be slower. */
async function textOf(file: string): Promise<string> {
  const changes = watch(dirname(file));
  while (!existsSync(file)) await once(changes, 'change');
  changes.close();
  return readFileSync(file, 'utf8');
}
