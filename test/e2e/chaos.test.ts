/**
 * A short campaign of `npm run chaos` for each way to run: daemons and services die at random under a mixed load, and all
 * invariants hold.
 */
import plain, { type ExecutionContext } from 'ava';
import { campaign } from '../chaos/campaign.ts';
import { summary } from '../chaos/report.ts';
import { needing } from '../support/ava/needs.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { noPrivateMongoDb } from '../support/servers/mongodb.ts';
import { noRabbitMq } from '../support/servers/rabbitmq.ts';
import { noRedis } from '../support/servers/redis.ts';

const test = needing(noRedis ?? noRabbitMq ?? noPrivateMongoDb, 'mongodb');

async function allHold(t: ExecutionContext, isEmbedded: boolean): Promise<void> {
  const plan = { minutes: 0.25, kills: 5, seed: Date.now() % 1_000_000, isEmbedded };
  t.log(`--minutes ${plan.minutes} --kills ${plan.kills} --seed ${plan.seed}${isEmbedded ? ' --embedded' : ''}`);
  const outcome = await campaign(t, plan, AbortSignal.timeout(WAIT_MS));
  const lines = summary(plan, outcome);
  t.log(lines.at(-1));
  t.is(outcome.scene.findings.total, 0, lines.join('\n'));
}

test.serial(
  'every workflow ends properly after any deaths, no once activity runs twice, and every end is published',
  (t) => allHold(t, false),
);

plain.serial('the same of a daemon without services, with every end in its stream', (t) => allHold(t, true));
