/** A rehearsal runs the steps of a real rollout: limits, phases, gates and windows hold, at the times that follow from the draws. */
import test from 'ava';
import { isDoubtful } from '../../../../api/cli/rehearsal-view.ts';
import type { PhaseSize } from '../../../../engine/api-port/rollouts.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../engine/vocabulary/units.ts';
import { type RehearsalPlan, rehearse } from '../../../../engine/workflows/rehearsal/rehearse.ts';
import { noCounts } from '../../../../engine/workflows/rollouts/rollout-state.ts';

/** A Friday, 20:00 in UTC. */
const BEGIN = Date.UTC(2026, 10, 27, 20);
const BAD = { code: 'OBM_FAILED', message: 'the BMC rejected the command' };

/** 40 servers, two at each PDU, whose workflows take ten minutes; one of `failing` fails. */
function planOf(
  given: { sizes?: [PhaseSize, number][]; failing?: number } & Partial<RehearsalPlan> = {},
): RehearsalPlan {
  const { sizes = [['rest', 40]], failing, ...rest } = given;
  const phases = sizes.map(([size, targets], index) => {
    return { index, size, targets, advance: 'manual' as const, counts: noCounts(), startedAt: null, finishedAt: null };
  });
  const ends = sizes.map((_, n) => sizes.slice(0, n + 1).reduce((sum, [, targets]) => sum + targets, 0));
  return {
    plan: { phases, gates: [], limits: {}, onBusy: 'wait', onHeld: 'skip', seed: 1 },
    targets: Array.from({ length: 40 }, (_, sequence) => ({
      node: `node-${sequence}`,
      phase: ends.findIndex((end) => sequence < end),
      sequence,
      parents: { poweredBy: [`pdu-${sequence >> 1}`] },
    })),
    rejections: [],
    samples: Array.from({ length: failing ?? 1 }, (_, n) => ({
      durationMs: 10 * MINUTE_MS,
      error: failing !== undefined && n === 0 ? BAD : null,
    })),
    basis: 'measured',
    begin: BEGIN,
    ...rest,
  };
}

const limited = (limits: RehearsalPlan['plan']['limits'], rest: Parameters<typeof planOf>[0] = {}): RehearsalPlan => {
  const all = planOf(rest);
  return { ...all, plan: { ...all.plan, limits } };
};

test('forty servers, five at a time, ten minutes each, take eighty minutes', async (t) => {
  const report = await rehearse(limited({ running: 5 }));
  t.deepEqual(report.durationMs, { p50: 80 * MINUTE_MS, p90: 80 * MINUTE_MS });
  t.deepEqual([report.failures, report.gates, report.windows, report.left], [[], [], [], 0]);
  t.false(isDoubtful(report));
});

test('one at a time for each PDU: two turns, and no PDU has two', async (t) => {
  const report = await rehearse(limited({ per: { poweredBy: 1 } }));
  t.is(report.durationMs.p50, 20 * MINUTE_MS);
  t.true(
    report.peaks.length > 0 && report.peaks.every(({ relation, running }) => relation === 'poweredBy' && running === 1),
  );
});

test('without a limit both servers of a PDU run at the same time', async (t) => {
  const { peaks } = await rehearse(planOf());
  t.true(peaks.length > 0 && peaks.every(({ running }) => running === 2));
});

test('phases follow each other, as if a user advanced them immediately', async (t) => {
  const report = await rehearse(
    planOf({
      sizes: [
        [1, 1],
        ['10%', 4],
        ['rest', 35],
      ],
    }),
  );
  t.is(report.durationMs.p50, 30 * MINUTE_MS);
});

test('a gate ends the run at its failures, and a rollout that probably stops is doubtful', async (t) => {
  const all = limited({ running: 5 }, { failing: 5 });
  const report = await rehearse({ ...all, plan: { ...all.plan, gates: [{ failures: 2 }, { failures: 39 }] } });
  const [gate, ...others] = report.gates;
  t.deepEqual([gate?.index, others], [0, []]);
  t.true((gate?.trips ?? 0) > report.runs / 2 && (gate?.at.ms ?? 0) < 80 * MINUTE_MS);
  t.is(report.failures[0]?.code, BAD.code);
  t.is(report.left, 0, 'the gate keeps the rest from beginning, and no window');
  t.true(isDoubtful(report));
});

test('the same seed gives the same report', async (t) => {
  const all = limited({ running: 3 }, { failing: 7 });
  t.deepEqual(await rehearse(all), await rehearse(all));
});

test('nothing begins shortly before a window closes, and what follows in the next opening says how much it was too short', async (t) => {
  const days = ['fri', 'sat'] as const;
  const window = { zone: 'UTC', spans: [{ days: [...days], from: '22:00', to: '23:00' }], closed: [], leadMinutes: 0 };
  const report = await rehearse(limited({ running: 5 }, { window }));
  // From 22:00 five turns begin, the last one at 22:40: at 22:50 ten minutes would end with the window. Three are left.
  t.is(report.durationMs.p50, 24 * HOUR_MS + 30 * MINUTE_MS);
  t.deepEqual(report.windows, [{ closedAt: '2026-11-27T23:00:00.000Z', tooShortMs: 30 * MINUTE_MS }]);
});

test('a window that is always too short leaves all targets', async (t) => {
  const window = {
    zone: 'UTC',
    spans: [{ days: ['fri' as const], from: '22:00', to: '22:05' }],
    closed: [],
    leadMinutes: 0,
  };
  const report = await rehearse(planOf({ window }));
  t.is(report.left, 40);
  t.true(isDoubtful(report));
});

test('targets whose launch would be rejected fail, are skipped, or stay, as in a real rollout', async (t) => {
  const rejection = (code: string) => ({ node: 'node-3', code, message: `node-3: ${code}` });
  const rehearsed = (code: string, more: Partial<RehearsalPlan['plan']> = {}) => {
    const all = limited({ running: 5 });
    return rehearse({ ...all, plan: { ...all.plan, ...more }, rejections: [rejection(code)] });
  };
  const failed = await rehearsed('OBM_MISSING');
  t.like(failed.failures, [{ code: 'OBM_MISSING', p50: 1, p90: 1, nodes: ['node-3'] }]);
  t.is(failed.durationMs.p50, 80 * MINUTE_MS, 'the others take as long');
  const gated = await rehearsed('OBM_MISSING', { gates: [{ failures: 1, scope: 'rollout' }] });
  t.like(gated.gates, [{ index: 0, trips: gated.runs, at: { phase: 0, ms: 0 } }]);
  t.like(await rehearsed('NODE_HELD'), { failures: [], left: 0 });
  t.like(await rehearsed('NODE_HELD', { onHeld: 'wait' }), { failures: [], left: 1 });
  t.like(await rehearsed('NODE_BUSY'), { failures: [], left: 0 }, 'its workflow ends');
});

test('failures of one code and several causes are several lines', async (t) => {
  const all = planOf();
  const messages = ['task 5 ended as Exception', 'task 7 ended as Exception', 'the image is not signed'];
  const samples = messages.map((message) => ({ durationMs: MINUTE_MS, error: { code: 'FIRMWARE', message } }));
  const { failures } = await rehearse({ ...all, samples });
  t.deepEqual(failures.map(({ message }) => message).sort(), [
    'task <n> ended as Exception',
    'the image is not signed',
  ]);
});
