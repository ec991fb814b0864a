import test from 'ava';
import fc from 'fast-check';
import { graphOfList } from '../../../../engine/library/forms/list-of-tasks.ts';
import {
  checkRequest,
  checkSharedRequest,
  mergeOptions,
  resolve,
  timeoutOf,
} from '../../../../engine/library/options/options.ts';
import type { Graph } from '../../../../engine/library/types.ts';
import { redact } from '../../../../engine/vocabulary/conceal.ts';
import type { NodewrightError } from '../../../../engine/vocabulary/errors.ts';
import type { JsonObject } from '../../../../engine/vocabulary/json.ts';
import { api, erase, lookups } from '../../../support/engine/tasks.ts';

const list = (overrides: object, options: object) =>
  graphOfList(
    {
      friendlyName: 'Test',
      injectableName: 'Graph.Test',
      options,
      tasks: [
        { label: 'wipe', taskName: 'Task.erase', optionOverrides: overrides },
        { label: 'rest', taskName: 'Task.noop' },
      ],
    },
    lookups,
    api,
  );

const graph = list({ disks: ['sda'] }, {});
const dynamic: Graph = {
  ...graph,
  labels: new Map([...graph.labels].map(([key, label]) => [key, { ...label, overrides: {}, dynamic: true }])),
};
const scope = { server: { host: 'h' }, task: { nodeId: 'n' } };

test('the place with the highest precedence sets each option, for any values of the places', (t) => {
  const place = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined });
  const given = (value: number | undefined) => (value === undefined ? {} : { passes: value });
  const property = fc.property(fc.array(place, { minLength: 5, maxLength: 5 }), (values) => {
    const [overrides, graphDefaults, graphLabel, requestDefaults, requestLabel] = values.map(given);
    const made = list({ disks: ['sda'], ...overrides }, { defaults: graphDefaults, wipe: graphLabel });
    const request = { defaults: requestDefaults, wipe: requestLabel } as JsonObject;
    const expected = values.findLast((value) => value !== undefined);
    t.is(mergeOptions(made, 'wipe', request).passes, expected);
    t.is(resolve(made, 'wipe', request, undefined, scope).options.passes, expected ?? 1);
  });
  fc.assert(property);
});

test('a default option that a task does not declare is dropped for that task only', (t) => {
  const request = { defaults: { delay: 3, more: 1 } };
  t.notThrows(() => checkRequest(graph, request, scope));
  t.deepEqual(mergeOptions(graph, 'wipe', request), { disks: ['sda'] });
  t.is(mergeOptions(graph, 'rest', request).delay, 3);
});

test('the time limit is removed before the options are validated', (t) => {
  const limit = (request: JsonObject) => resolve(graph, 'wipe', request, undefined, scope).timeoutMs;
  t.is(limit({}), 86_400_000);
  t.is(limit({ defaults: { _taskTimeout: 5 } }), 5);
  t.is(limit({ defaults: { _taskTimeout: 5 }, wipe: { _taskTimeout: 0 } }), null);
  t.is(limit({ wipe: { _taskTimeout: -1 } }), null);
  t.is(timeoutOf({}), 86_400_000);
});

test('a computed input takes the precedence of static overrides', (t) => {
  const { options } = resolve(dynamic, 'wipe', { wipe: { passes: 2 } }, { disks: ['sdb'], passes: 9 }, scope);
  t.deepEqual(options, { disks: ['sdb'], passes: 2 });
});

test('a computed input is data: its texts are not rendered, also where another option refers to it', (t) => {
  const unit = fc.constantFrom('{', '}', "'", '"', '{{ api.x }}', '{{#', 'a', ' ');
  const property = fc.property(fc.array(fc.string({ unit }), { minLength: 1 }), (disks) => {
    const request = { wipe: { key: '{{ options.disks }} on {{ server.host }}' } };
    const { options } = resolve(dynamic, 'wipe', request, { disks }, scope);
    t.deepEqual(options, { disks, passes: 1, key: `${JSON.stringify(disks)} on h` });
  });
  fc.assert(property);
});

const rejected: [why: string, of: Graph, request: unknown, path: string][] = [
  ['options that are not an object', graph, [], 'options'],
  ['an unknown label', graph, { none: {} }, 'options.none'],
  ['a label with no object', graph, { wipe: 7 }, 'options.wipe'],
  ['an unknown option', graph, { wipe: { diks: [] } }, 'options.wipe.diks'],
  ['an option of the wrong type', graph, { wipe: { disks: 'sda' } }, 'options.wipe.disks'],
  ['a wrong value deep inside', graph, { wipe: { disks: ['a', 7] } }, 'options.wipe.disks.1'],
  ['a wrong time limit', graph, { wipe: { _taskTimeout: 1.5 } }, 'options.wipe._taskTimeout'],
  ['a time limit below -1', graph, { defaults: { _taskTimeout: -2 } }, 'options.wipe._taskTimeout'],
  ['a template without a value', graph, { wipe: { disks: ['{{ server.none }}'] } }, 'options.wipe.disks.0'],
  ['a malformed template', graph, { wipe: { disks: ['{{ server'] } }, 'options.wipe.disks.0'],
  ['text with NUL', graph, { wipe: { disks: ['a\0b'] } }, 'options.wipe.disks.0'],
  ['a required option without a value', list({}, {}), {}, 'options.wipe.disks'],
  ['a wrong option beside a computed input', dynamic, { wipe: { passes: 0 } }, 'options.wipe.passes'],
];

for (const [why, of, request, path] of rejected) {
  test(`a start with ${why} is rejected with its path`, (t) => {
    const error = t.throws(() => checkRequest(of, request, scope)) as NodewrightError;
    t.is(error.code, 'INVALID_OPTIONS');
    t.is(error.status, 400);
    t.true(
      error.violations?.some((fault) => fault.path === path),
      JSON.stringify(error.violations),
    );
  });
}

test('all violations are reported together, each path once', (t) => {
  const request = { none: {}, wipe: { disks: 'sda', diks: [] }, nobody: 5 };
  const error = t.throws(() => checkRequest(graph, request, scope)) as NodewrightError;
  const paths = error.violations?.map(({ path }) => path).sort();
  t.deepEqual(paths, ['options.nobody', 'options.none', 'options.wipe.diks', 'options.wipe.disks']);
});

test('options of a request are checked also when a task run has begun without them', (t) => {
  const used = list({ disks: ['sda'] }, {});
  resolve(used, 'wipe', {}, undefined, scope);
  t.notThrows(() => checkRequest(used, {}, scope));
  t.notThrows(() => checkRequest(used, { wipe: { passes: 2 } }, scope));
  t.throws(() => checkRequest(used, { wipe: { disks: 'sda' } }, scope), { code: 'INVALID_OPTIONS' });
  t.throws(() => checkRequest(used, { defaults: { disks: 'sda' } }, scope), { code: 'INVALID_OPTIONS' });
});

test('values that are only known at run time do not make a request invalid', (t) => {
  t.notThrows(() => checkRequest(dynamic, {}, scope));
  t.notThrows(() =>
    checkRequest(graph, { wipe: { passes: '{{ context.rest.n }}', disks: '{{ context.rest.d }}' } }, scope),
  );
  t.notThrows(() => checkRequest(graph, { wipe: { tool: '{{ context.rest.tool }}' } }, scope));
});

test('a missing or invalid value at run time fails the task run and names the option', (t) => {
  const at = (request: JsonObject, context: object) => () =>
    resolve(graph, 'wipe', request, undefined, { ...scope, context });
  const request = { wipe: { passes: '{{ context.rest.n }}' } };
  t.is(at(request, { rest: { n: 3 } })().options.passes, 3);
  const gone = t.throws(at(request, {})) as NodewrightError;
  t.is(gone.code, 'TEMPLATE_VALUE_MISSING');
  t.regex(gone.message, /options\.wipe\.passes.*context\.rest\.n/);
  const unfit = t.throws(at(request, { rest: { n: 'x' } })) as NodewrightError;
  t.is(unfit.code, 'INVALID_OPTIONS');
  t.deepEqual(
    unfit.violations?.map(({ path }) => path),
    ['options.wipe.passes'],
  );
});

test('an option may refer to another option, and to its default', (t) => {
  const { options } = resolve(graph, 'wipe', { wipe: { disks: ['{{ options.passes }}x'] } }, undefined, scope);
  t.deepEqual(options.disks, ['1x']);
});

test('secrets are hidden if the schema or their name marks them', (t) => {
  const options = { key: 'k', disks: ['sda'], more: { Password: 'p', list: [{ apiToken: 7, user: 'u' }] }, passes: 1 };
  t.deepEqual(redact([erase.optionsSchema], options), {
    key: 'REDACTED',
    disks: ['sda'],
    more: { Password: 'REDACTED', list: [{ apiToken: 'REDACTED', user: 'u' }] },
    passes: 1,
  });
});

test('a secret inside described objects and lists is hidden, and values beside it are not', (t) => {
  const schema = {
    properties: {
      credential: { properties: { username: {}, password: {} } },
      users: { items: { allOf: [{ properties: { pin: { secret: true } } }] } },
      tokenCount: { type: 'integer' },
    },
  };
  const options = { credential: { username: 'u', password: 'p' }, users: [{ pin: 1, id: 2 }], tokenCount: 3 };
  t.deepEqual(redact([schema], options), {
    credential: { username: 'u', password: 'REDACTED' },
    users: [{ pin: 'REDACTED', id: 2 }],
    tokenCount: 3,
  });
});

test('options for many nodes are rejected for what no node could run with, whatever its templates give and its graph is', (t) => {
  const ofSku = {
    ...graph,
    labels: new Map([...graph.labels].map(([, label]) => ['dust', { ...label, label: 'dust' }])),
  };
  const pathsOf = (graphs: [Graph, ...Graph[]], request: JsonObject) => {
    const error = t.throws(() => checkSharedRequest(graphs, request)) as NodewrightError;
    t.is(error.status, 400);
    return error.violations?.map(({ path }) => path).sort();
  };
  t.deepEqual(pathsOf([graph], { none: {}, wipe: { disks: 'sda' } }), ['options.none', 'options.wipe.disks']);
  t.deepEqual(pathsOf([graph], { wipe: { disks: ['{{ server'] } }), ['options.wipe.disks.0']);
  t.notThrows(() => checkSharedRequest([graph], { wipe: { disks: ['{{ server.none }}'] } }), 'a node may have it');
  t.notThrows(() => checkSharedRequest([list({}, {})], {}), 'the graph itself lacks the option');
  t.notThrows(() => checkSharedRequest([graph, ofSku], { wipe: { disks: ['sda'] }, dust: {} }));
  t.deepEqual(pathsOf([graph, ofSku], { none: {}, wipe: { disks: 'sda' }, dust: {} }), ['options.none']);
});
