/**
 * The in-process backend against BullMQ's own on a real Redis: both get the same commands, drawn at random, and have to
 * give the same answers and to hold the same jobs. The clock of both is the test's: BullMQ passes its time to Redis.
 */
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { needing } from '../../../../support/ava/needs.ts';
import { type Bull, bullInMemory, bullOnRedis } from '../../../../support/engine/bullmq.ts';
import { type Command, commands, Side } from '../../../../support/engine/bullmq-commands.ts';
import { noRedis, type RedisServer, startRedis } from '../../../../support/servers/redis.ts';

const redis = needing(noRedis);
const RUNS = 60;
/** A time of the clock at which no interval of the commands begins. */
const START = Date.UTC(2030, 0, 1) + 12_345;
const machine = Date.now;

let server: RedisServer;
let bulls: Bull[];
test.before(async () => {
  if (noRedis) return;
  server = await startRedis('--appendonly', 'no');
  bulls = [bullInMemory(), bullOnRedis(server)];
});
test.after.always(async () => {
  Date.now = machine;
  await server?.stop();
});

let names = 0;

async function bothAnswer(run: readonly Command[]): Promise<void> {
  let now = START;
  Date.now = () => now;
  const name = `q${names++}`;
  const sides = bulls.map((bull) => new Side(bull, name));
  try {
    await Promise.all(sides.map((side) => side.ready()));
    for (const [at, command] of run.entries()) {
      if (command.do === 'pass') now += command.ms;
      const [ours, theirs] = await Promise.all(sides.map((side) => side.run(command)));
      const [held, heldThere] = await Promise.all(sides.map((side) => side.state()));
      const both = [
        { answer: ours, ...held },
        { answer: theirs, ...heldThere },
      ].map((seen) => Object.entries(seen));
      const [inProcess = [], onRedis = []] = both;
      const other = inProcess.filter((entry, index) => !isDeepStrictEqual(entry, onRedis[index]));
      if (other.length === 0) continue;
      const expected = other.map(([field]) => onRedis.find(([one]) => one === field));
      throw new Error(
        `command ${at}, ${JSON.stringify(command)}: found ${JSON.stringify(other)}, expected ${JSON.stringify(expected)}`,
      );
    }
  } finally {
    await Promise.all(sides.map((side) => side.close()));
  }
}

redis.serial('random commands get the same answers from the in-process backend and from Redis', async (t) => {
  await t.notThrowsAsync(() =>
    fc.assert(fc.asyncProperty(fc.array(commands, { minLength: 10, maxLength: 60, size: 'max' }), bothAnswer), {
      numRuns: RUNS,
      includeErrorInReport: true,
    }),
  );
});
