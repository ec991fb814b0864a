/** Runs of the simulator: in an address, in words, as a command. */
import test from 'ava';
import fc from 'fast-check';
import { moveText, nwCommand } from '../../api/console/pages/simulator/move-words.ts';
import { addressOfRun, runOfAddress } from '../../api/console/pages/simulator/simulated-run.ts';
import type { PlayMove } from '../../engine/api-port/index.ts';

const text = fc.string({ unit: 'binary' });
const move: fc.Arbitrary<PlayMove> = fc.oneof(
  fc.record({ do: fc.constant('end' as const), label: text, output: fc.jsonValue() }),
  fc.record({ do: fc.constant('notify' as const), data: fc.dictionary(text, fc.jsonValue()) }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.nat() }),
  fc.constant({ do: 'crash' as const }),
);

test('any run that fits into an address is the same when it is read again', async (t) => {
  const options = fc.dictionary(text, fc.dictionary(text, fc.jsonValue()));
  const run = fc.record(
    { graph: text, moves: fc.array(move), node: fc.option(text), options },
    { requiredKeys: ['graph', 'moves'] },
  );
  await fc.assert(
    fc.asyncProperty(run, async (given) => {
      const address = await addressOfRun(given);
      t.not(address, undefined);
      t.regex(address ?? '', /^[\w-]*$/);
      t.deepEqual(await runOfAddress(address ?? ''), JSON.parse(JSON.stringify(given)));
    }),
  );
});

test('a run that is too long has no address, and an address without a run is an error', async (t) => {
  const output = Array.from({ length: 30_000 }, () => Math.random());
  t.is(await addressOfRun({ graph: 'Graph.X', moves: [{ do: 'end', label: 'a', output }] }), undefined);
  for (const address of ['x', '%', 'q1Y', await addressOfRun([] as never)])
    await t.throwsAsync(runOfAddress(address ?? ''), undefined, address);
});

test('an address cannot fill the memory', async (t) => {
  const bomb = await addressOfRun({ graph: 'x'.repeat(3_000_000), moves: [] });
  await t.throwsAsync(runOfAddress(bomb ?? ''), { message: /too large/ });
});

test('the command has the ends and the notifications; what it cannot say has none', (t) => {
  const moves: PlayMove[] = [
    { do: 'end', label: 'a' },
    { do: 'fail', label: 'disks', code: 'OBM_BUSY' },
    { do: 'end', label: 'disks' },
    { do: 'notify', data: { ip: "it's" } },
  ];
  t.is(nwCommand('Graph.X', moves), `nw simulate Graph.X --end disks=OBM_BUSY,ok --notify '{"ip":"it'\\''s"}'`);
  t.is(nwCommand('Graph.$(id)', []), "nw simulate 'Graph.$(id)'");
  for (const other of [{ do: 'crash' }, { do: 'advance', ms: 1 }, { do: 'end', label: 'a', output: 1 }] as PlayMove[])
    t.is(nwCommand('Graph.X', [other]), undefined);
});

test('a move has words of bounded length, also one that an address made up', (t) => {
  t.is(moveText({ do: 'advance', ms: 90_000 }), '1 min 30 s pass');
  t.is(moveText({ do: 'fail', label: 'a' }), 'a fails with TASK_FAILED');
  t.true(moveText({ do: 'end', label: 'a', output: 'x'.repeat(1_000) }).length < 100);
  t.is(moveText({ do: 'fly' } as never), 'an unknown move');
});
