/** POST /workflows/graphs/:name/simulate: workflows in memory, move by move. */
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { PlayMove, PlayResult } from '../../engine/api-port/index.ts';
import { includedDefinitions, type Simulation, simulate } from '../../engine/kit/index.ts';
import { openEngine, type TestEngine } from '../support/engine/engine.ts';
import { northbound, type Request, serve } from '../support/servers/api.ts';

let it: TestEngine;
test.before(async () => {
  it = await openEngine();
});
test.after.always(() => it?.close());

const simulating = async (t: ExecutionContext) => {
  const { send } = await serve(t, { ...northbound, authEnabled: false }, it.engine);
  return (graph: string, body: object, more: Request = {}) =>
    send('POST', `/api/current/workflows/graphs/${graph}/simulate`, { body, ...more });
};

const GRAPH = 'Graph.Demo.InstallOs';

test('without moves, the answer says what can happen first, and nothing is stored', async (t) => {
  const play = await simulating(t);
  const { status, body } = await play(GRAPH, { moves: [] });
  t.is(status, 200, JSON.stringify(body));
  t.like(body, { graph: GRAPH, status: 'running', elapsedMs: 0, made: 0, stopped: null, error: null });
  t.true(body.open.length > 0);
  t.is((await it.engine.workflows.list({ skip: 0, limit: 1, filter: {} })).total, 0);
});

test('a move that does not fit is not made, and the answer says why', async (t) => {
  const play = await simulating(t);
  const { open } = (await play(GRAPH, { moves: [] })).body;
  const label = open[0].label;
  const { body } = await play(GRAPH, {
    moves: [{ do: 'end', label }, { do: 'fail', label }, { do: 'cancel' }],
  });
  t.is(body.made, 1);
  t.is(body.stopped.code, 'CONFLICT');
  t.not(body.status, 'cancelled');
});

test('time passes without the calls: what hangs times out', async (t) => {
  const play = await simulating(t);
  const { timers } = (await play(GRAPH, { moves: [] })).body;
  const limit = timers.find(({ about }: PlayResult['timers'][0]) => about === 'the time limit of the task');
  const { body } = await play(GRAPH, { moves: [{ do: 'advance', ms: limit.atMs }] });
  t.is(body.tasks.find(({ label }: { label: string }) => label === limit.label).state, 'timeout');
});

test('wrong moves, options and nodes are rejected with their places', async (t) => {
  const play = await simulating(t);
  const wrong: [object, number, string][] = [
    [{}, 400, 'moves'],
    [{ moves: [{ do: 'fly' }] }, 400, 'moves.0.do'],
    [{ moves: [{ do: 'end' }] }, 400, 'moves.0.label'],
    [{ moves: [{ do: 'cancel', label: 'x' }] }, 400, 'moves.0.label'],
    [{ moves: [{ do: 'advance', ms: -1 }] }, 400, 'moves.0.ms'],
    [{ moves: Array.from({ length: 501 }, () => ({ do: 'crash' })) }, 400, 'moves'],
    [{ moves: [], node: 'x', recording: {} }, 400, 'recording'],
    [{ moves: [], recording: { format: 'x' } }, 400, 'recording.format'],
    [{ moves: [], options: { nobody: {} } }, 400, 'options.nobody'],
    [{ moves: [], node: 'no-such-node' }, 404, ''],
  ];
  for (const [body, status, path] of wrong) {
    const answer = await play(GRAPH, body);
    t.is(answer.status, status, JSON.stringify([body, answer.body]));
    if (path !== '')
      t.true(
        answer.body.errors.some((found: { path: string }) => found.path === path),
        JSON.stringify(answer.body),
      );
  }
  t.is((await play('Graph.None', { moves: [] })).status, 404);
});

test('a node is recorded without its secrets', async (t) => {
  const play = await simulating(t);
  const node = await it.engine.nodes.create({ type: 'compute', name: 'recorded' });
  await it.engine.catalogs.add(node.id, 'dmi', { password: 'hunter22' });
  const { status, body } = await play('Graph.Reboot.Node', { moves: [], node: node.id });
  t.is(status, 409);
  t.is(body.code, 'OBM_MISSING');
  const plain = await play('Graph.noop-example', { moves: [], node: node.id });
  t.is(plain.status, 200);
  t.false(JSON.stringify(plain.body).includes('hunter22'));
});

test('a graph that continues for ever is stopped', async (t) => {
  const play = await simulating(t);
  const after = (target: string) => ({ after: { 1: target } });
  await it.engine.library.putGraph({
    friendlyName: 'For ever',
    injectableName: 'Graph.For.Ever',
    machine: {
      initial: 'tick',
      states: {
        tick: after('tock'),
        tock: { ...after('tick'), invoke: { src: 'Task.noop', onError: 'done' } },
        done: { type: 'final' },
      },
    },
  });
  const { status, body } = await play('Graph.For.Ever', { moves: [{ do: 'advance', ms: 86_400_000 }] });
  t.is(status, 200, JSON.stringify(body));
  t.is(body.stopped.code, 'INVALID');
  // Nothing of the move is left.
  t.deepEqual({ ...body, stopped: null }, (await play('Graph.For.Ever', { moves: [] })).body);
});

test('a graph from a file has its warnings', async (t) => {
  const { send } = await serve(t, { ...northbound, authEnabled: false }, it.engine);
  const check = (name: string) => send('POST', `/api/current/workflows/graphs/${name}/check`);
  const { status, body } = await check('Graph.Reboot.Node');
  t.is(status, 200);
  t.like(body, { ok: true, name: 'Graph.Reboot.Node', errors: [] });
  t.true(body.warnings.some(({ code }: { code: string }) => code === 'NEEDS_OBM'));
  t.true(body.explored.ends > 0);
  t.deepEqual((await check('Graph.Reboot.Node')).body, body);
  t.is((await check('Graph.None')).status, 404);
});

test('only users who may launch workflows simulate them', async (t) => {
  const { send, as } = await serve(t, northbound, it.engine);
  const simulate = async (role: string) => {
    const request = { token: await as(role), body: { moves: [] } };
    return (await send('POST', `/api/current/workflows/graphs/${GRAPH}/simulate`, request)).status;
  };
  t.is(await simulate('ReadOnly'), 403);
  t.is(await simulate('Operator'), 200);
});

/** By the author's kit. */
function moved(run: Simulation, moves: readonly PlayMove[]): Simulation {
  for (const move of moves) {
    if (move.do === 'end') run.done(move.label, move.output);
    else if (move.do === 'fail') run.fail(move.label, move.code);
    else if (move.do === 'notify') run.notify(move.data, move.label);
    else if (move.do === 'cancel') run.cancel();
    else if (move.do === 'crash') run.crash();
  }
  return run;
}

const moveOf = (labels: string[]): fc.Arbitrary<PlayMove> => {
  const label = fc.constantFrom(...labels);
  const output = fc.oneof(fc.constant(undefined), fc.constant({}), fc.constant(null), fc.jsonValue({ maxDepth: 2 }));
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('end' as const), label, output }) },
    fc.record({ do: fc.constant('fail' as const), label, code: fc.constantFrom('TASK_FAILED', 'OBM_BUSY', 'X') }),
    fc.record({ do: fc.constant('notify' as const), data: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })) }),
    fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(0, 1_000, 60_000, 3_600_000, 90_000_000) }),
    fc.record({ do: fc.constantFrom('crash' as const, 'cancel' as const) }),
  );
};

test('any moves on each included graph are answered, the same each time', async (t) => {
  const play = await simulating(t);
  const { graphs } = await includedDefinitions();
  for (const [name, graph] of graphs) {
    const any = fc.array(moveOf([...graph.labels.keys()]), { maxLength: 12 });
    const moves = any.filter((all) => !JSON.stringify(all).includes('"__proto__":'));
    await fc.assert(
      fc.asyncProperty(moves, async (all) => {
        const { status, body } = await play(name, { moves: all });
        t.is(status, 200, JSON.stringify([name, all, body]));
        t.is(body.made === all.length, body.stopped === null);
        t.deepEqual((await play(name, { moves: all })).body, body);
        t.deepEqual((await play(name, { moves: all.slice(0, body.made) })).body, { ...body, stopped: null });
      }),
      { numRuns: 15 },
    );
  }
});

test('the moves lead where those of the authors kit lead, on each included graph', async (t) => {
  const play = await simulating(t);
  const { graphs } = await includedDefinitions();
  for (const [name, graph] of graphs) {
    const moves: PlayMove[] = [];
    for (;;) {
      const { body } = await play(name, { moves });
      const run = moved(simulate(graph), moves);
      t.deepEqual([body.status, body.value, body.error], [run.status, run.value, run.error], name);
      const [open] = body.open;
      if (open === undefined || body.status !== 'running' || moves.length > 50) break;
      moves.push({ do: 'end', label: open.label });
    }
    t.true(moves.length > 0, name);
  }
});
