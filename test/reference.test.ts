/** The generated pages agree with the code, and their parts with their sources. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { setup } from 'xstate';
import { nodeMachine } from '../engine/durable/actors/node.ts';
import { taskRunMachine } from '../engine/durable/actors/task-run.ts';
import { workflowMachine } from '../engine/durable/actors/workflow.ts';
import { nodesOf } from '../engine/library/forms/machine-nodes.ts';
import { diagramOf } from '../engine/library/forms/mermaid.ts';
import { configSchema } from '../engine/platform/config/config-schema.ts';
import { errorMeanings } from '../engine/vocabulary/error-codes.ts';
import { eventList } from '../engine/vocabulary/event-list.ts';
import { packagePath } from '../engine/vocabulary/package-path.ts';
import { ENTRIES, entryPages } from './reference/entries.ts';
import { table } from './reference/markdown.ts';
import { generatedPages } from './reference/pages.ts';
import type { Schema } from './reference/schema.ts';
import { headerOf } from './reference/source.ts';
import { ownFile } from './reference/tasks.ts';
import { everyGraph, everyTask } from './support/data/catalogue.ts';

for (const [path, page] of Object.entries(generatedPages)) {
  test(`${path} is the page that the code generates`, (t) => {
    t.is(readFileSync(packagePath(path), 'utf8'), page(), 'npm run reference writes it');
  });
}

test('a diagram has every state of its machine, and an arrow for every transition to another state', (t) => {
  const machines = [nodeMachine, workflowMachine, taskRunMachine, ...everyGraph.map(({ machine }) => machine)];
  for (const machine of machines) {
    const lines = diagramOf(machine).split('\n');
    const nodes = nodesOf(machine).slice(1);
    const drawn = lines.filter((line) => /^\s*state "/.test(line));
    t.is(drawn.length, nodes.length, machine.id);
    const wanted = nodes.flatMap((node) =>
      [...[...node.transitions.values()].flat(), ...(node.always ?? [])].flatMap(({ target }) =>
        (target ?? []).map((to) => `${node.key}>${to.key}`),
      ),
    );
    const names = new Map(nodes.map((node) => [node.path.join('_').replace(/\W/g, '_'), node.key]));
    const arrows = lines.flatMap((line) => {
      const [, from = '', to = ''] = /^\s*(\w+) --> (\w+):/.exec(line) ?? [];
      return from === '' ? [] : [`${names.get(from)}>${names.get(to)}`];
    });
    t.deepEqual([...new Set(arrows)].sort(), [...new Set(wanted)].sort(), machine.id);
  }
});

test('a diagram names timers, guards, invoked tasks and parallel states', (t) => {
  const machine = setup({ guards: { ready: () => true } }).createMachine({
    id: 'Graph.Drawn',
    type: 'parallel',
    states: {
      one: {
        initial: 'a b',
        states: {
          'a b': { after: { 500: { target: 'c', guard: 'ready' } }, on: { go: 'c' } },
          c: { type: 'final', tags: 'failed' },
        },
      },
      two: { type: 'parallel', states: { left: {}, right: {} } },
    },
  });
  t.is(
    diagramOf(machine),
    [
      'stateDiagram-v2',
      '  state "one" as one {',
      '    [*] --> one_a_b',
      '    state "a b" as one_a_b',
      '    state "c" as one_c',
      '    one_c --> [*]',
      '  }',
      '  state "two (parallel)" as two {',
      '    state "left" as two_left',
      '    state "right" as two_right',
      '  }',
      '  one_a_b --> one_c: go, after 500 ms [ready]',
    ].join('\n'),
  );
});

test('every option of an included task, and every key of the configuration, has a description', (t) => {
  const own = everyTask.filter((task) => ownFile(task) !== undefined);
  t.true(own.length > 20);
  const schemas: [string, Schema][] = [
    ...own.map(({ name, schema }): [string, Schema] => [name, schema as Schema]),
    ['configuration', configSchema as Schema],
  ];
  const silent = schemas.flatMap(([name, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, { description = '' }]) => description === '')
      .map(([option]) => `${name}: ${option}`),
  );
  t.deepEqual(silent, []);
});

test('every file of an included graph or task describes itself, a task also its output', (t) => {
  for (const { source } of everyGraph) if (source.kind === 'file' && source.file.endsWith('.ts')) headerOf(source.file);
  const own = everyTask.map(ownFile).filter((file) => file !== undefined);
  t.deepEqual(
    own.filter((file) => !/\boutput\b/i.test(headerOf(file))),
    [],
  );
});

test('each error, graph, task, event, metric and key has a page: what it means, what to do, and where it is', (t) => {
  const names: Record<string, readonly string[]> = {
    errors: Object.keys(errorMeanings),
    graphs: everyGraph.filter((graph) => ownFile(graph) !== undefined).map(({ name }) => name),
    tasks: everyTask.filter((task) => ownFile(task) !== undefined).map(({ name }) => name),
    events: Object.entries(eventList).flatMap(([type, actions]) =>
      Object.keys(actions).map((action) => `${type}.${action}`),
    ),
    metrics: [...readFileSync(packagePath('docs/reference/metrics.md'), 'utf8').matchAll(/^- \*\*`(\w+)`/gm)].map(
      ([, name = '']) => name,
    ),
    configuration: Object.keys(configSchema.properties),
  };
  const pages = entryPages();
  const wanted = Object.entries(names).flatMap(([kind, own]) => own.map((name) => `${ENTRIES}/${kind}/${name}.md`));
  t.deepEqual([...pages.keys()].sort(), wanted.sort());
  const all = Object.values(names).flat();
  t.is(new Set(all).size, all.length, 'nw explain needs the name alone');
  for (const [path, text] of pages) {
    for (const heading of [
      /^## Meaning\n\n\S/m,
      /^## (?:Remedy|How to .*)\n\n\S/m,
      /^## Where\n\n- Declared in `/m,
      /^## See also\n\n- \[/m,
    ]) {
      t.regex(text, heading, path);
    }
    const links = [...text.matchAll(/\]\((?![a-z]+:)([^)#]+)/g)].map(([, link = '']) => join(dirname(path), link));
    t.deepEqual(
      links.filter((link) => !existsSync(packagePath(link))),
      [],
      path,
    );
    const [, declared = ''] = /Declared in `([^`]+)`/.exec(text) ?? [];
    t.true(existsSync(packagePath(declared)), declared);
  }
});

test('the page of an error names its cause, and the sources that throw it', (t) => {
  const text = entryPages().get(`${ENTRIES}/errors/NODE_BUSY.md`) ?? '';
  t.regex(text, /## Cause\n\nAnother workflow is active on the node\./);
  t.regex(text, /Used in `.*node-claim\.ts`/);
});

test('a table with a long cell is rejected', (t) => {
  t.is(table(['a', 'b'], [['1', '22']]), '| a | b  |\n| - | -- |\n| 1 | 22 |');
  t.throws(() => table(['a'], [['x'.repeat(60)]]), { message: /60 characters, expected 59/ });
});
