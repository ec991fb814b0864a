/** Stories: a daemon and a machine of the twin in this process, under virtual time. */
import test from 'ava';
import { includedDefinitions, type Story, type StoryOptions, story } from '../../../api/story/index.ts';
import { graphMeta } from '../../../engine/define/graph.ts';
import { NodewrightError } from '../../../engine/vocabulary/errors.ts';

/** A package declares it apart. */
story satisfies typeof import('../../../api/story/declarations.ts')['story'];

const ERASE = 'Graph.Drive.SecureErase';
const REBOOT = 'Graph.Reboot.Node';

const effectsOf = ({ ledger }: Story): string[] => ledger.map(({ what, outcome }) => `${what}: ${outcome}`);

test.serial(
  'a graph runs on a machine that answers, in its time, and the process has its own time again',
  async (t) => {
    const before = Date.now();
    const erase = await story(ERASE);
    t.is(erase.status, 'succeeded');
    t.deepEqual(effectsOf(erase), [
      ...['reset ForceOff: done', 'reset On: done', 'network agent: done'],
      ...['sda scrub nnsa: begun', 'sda scrub nnsa: done', 'reset ForceOff: done', 'reset On: done'],
    ]);
    for (const line of ['0 s reset ForceOff', '188 s boots the microkernel', '294 s sda scrub nnsa: begun'])
      t.true(erase.lines.includes(line), erase.lines.join('\n'));
    t.regex(erase.lines.at(-1) ?? '', /^\d+ s ended succeeded$/);
    t.true(erase.elapsedMs > 1_000_000);
    t.deepEqual(erase.violations, []);
    t.true(Date.now() - before < erase.elapsedMs);
  },
);

test.serial('a drive that is missing fails the erase, and the story says when', async (t) => {
  const { status, error, lines, tasks, violations } = await story(ERASE, {
    faults: ['at 400 s: drive r01s01/sda missing'],
  });
  t.is(status, 'failed');
  t.is(error?.code, 'ERASE_FAILED');
  t.is(tasks['drive-secure-erase']?.state, 'failed');
  t.true(lines.includes('400 s fault: drive r01s01/sda missing'));
  t.regex(lines.at(-1) ?? '', /ended failed: ERASE_FAILED$/);
  t.deepEqual(violations, [], 'it says what happened');
});

test.serial('an agent that dies takes its command again, and the drive is erased once', async (t) => {
  const died = await story(ERASE, { faults: ['at 320 s: agent r01s01 dies'] });
  t.is(died.status, 'succeeded');
  t.is(effectsOf(died).filter((effect) => effect === 'sda scrub nnsa: begun').length, 1);
});

test.serial('a BMC that ignores a command fails the workflow, and the command is not sent again', async (t) => {
  const ignored = await story(REBOOT, { faults: ['at 0 s: bmc r01s01 reset ignored'] });
  t.is(ignored.error?.code, 'OBM_UNCHANGED');
  t.deepEqual(effectsOf(ignored), ['reset ForceOff: ignored']);
});

for (const [fault, sentence] of [
  ['update fails', "Installation of image 'bmc-9.9.bin' to 'BMC' failed."],
  ['download breaks', "Transfer of image 'bmc-9.9.bin' to 'BMC' failed."],
] as const)
  test.serial(`${fault}: the workflow fails with the words of the BMC, and nothing is sent again`, async (t) => {
    const update = { image: 'http://10.1.1.1/bmc-9.9.bin', targets: ['BMC'] };
    const failed = await story('Graph.Firmware.Update', {
      options: { update },
      faults: [`at 0 s: bmc r01s01 ${fault}`],
    });
    t.is(failed.error?.code, 'OBM_FAILED');
    t.true(failed.error?.message.includes(sentence), failed.error?.message);
    t.deepEqual(effectsOf(failed), ['BMC from bmc-9.9.bin: begun', 'BMC from bmc-9.9.bin: failed']);
    t.deepEqual(failed.violations, []);
  });

test.serial(
  'the same seed tells the same story to the last byte, whatever came before; each seed draws faults',
  async (t) => {
    const seeds = [1, 2, 3, 4, 5, 6];
    const draw = (seed: number) => story(REBOOT, { seed, faults: 'drawn' });
    const stories: Story[] = [];
    for (const seed of seeds) stories.push(await draw(seed));
    for (const seed of [3, 6]) t.is(JSON.stringify(await draw(seed)), JSON.stringify(stories[seed - 1]));
    t.true(stories.every(({ faults }) => faults.length > 0));
  },
);

test.serial('stories that begin together run one after the other', async (t) => {
  const [one, other] = await Promise.all([story(REBOOT, { seed: 9 }), story(REBOOT, { seed: 9 })]);
  t.deepEqual(one, other);
});

/** A machine that was never configured has no volumes to delete. */
const IDLE = 'Graph.Raid.Clear';

test.serial('each shipped graph with examples has a story without a violation', async (t) => {
  const { graphs } = await includedDefinitions();
  const named = [...graphs.values()].filter(({ machine }) => (graphMeta(machine)?.examples ?? []).length > 0);
  t.true(named.length > 3);
  for (const { name } of named) {
    const result = await story(name).catch((error: NodewrightError) => error);
    // An example may name what this machine lacks.
    if (result instanceof NodewrightError) t.regex(result.code, /^INVALID/, `${name}: ${result.message}`);
    else if (name !== IDLE) t.deepEqual(result.violations, [], name);
  }
});

const wrong: readonly [options: StoryOptions, message: RegExp][] = [
  [{ seed: -1 }, /the seed -1; expected a whole number/],
  [{ model: 'r650' }, /the model r650; expected dell-r650, /],
  [
    { faults: ['at 1 s: bmc r09s01 silent 4 s'] },
    /^faults\[0\]: found r09s01; expected one of r01s01, p01a, r01s01\/sda/,
  ],
  [{ faults: ['at 1 s: drive r01s01/sdz missing'] }, /^faults\[0\]: found r01s01\/sdz; expected one of/],
  [{ faults: ['', 'soon: all is lost'] }, /^faults\[1\]: found 'soon: all is lost'; expected at 120 s: /],
  [{ options: { nothing: {} } }, /found no such label in Graph\.Reboot\.Node/],
];

test.serial('what is wrong with the arguments is said before anything starts', async (t) => {
  for (const [options, message] of wrong) await t.throwsAsync(story(REBOOT, options), { message });
  await t.throwsAsync(story('Graph.None'), { code: 'INVALID' });
});
