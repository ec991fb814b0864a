/**
 * `npm run chaos:power`: power commands on BMCs that are silent for 0 to 60 s, by IPMI and Redfish, with obm timeouts
 * of 5 and 20 s, without and with kills of the daemon. Each ledger may contain each command once. Takes about fifteen
 * minutes.
 *
 * Options: `--silences 0,9,60` and `--timeouts 5,20` in seconds, `--kills 2,9,30` in seconds after the launch.
 */
import { parseArgs } from 'node:util';
import { OwnScope } from '../support/ava/scope.ts';
import { type Ended, powerCampaign, silencesOf } from '../support/faults/power-campaign.ts';

const { values } = parseArgs({
  options: {
    silences: { type: 'string', default: '0,2,5,9,15,24.5,40,60' },
    timeouts: { type: 'string', default: '5,20' },
    kills: { type: 'string', default: '1.5,8,20,45' },
  },
});
const seconds = (text: string): number[] => text.split(',').filter(Boolean).map(Number);
const silences = silencesOf(['ipmi-obm-service', 'redfish-obm-service'], seconds(values.silences));

/** Number of workflows by end; failed ones also by graph. */
function count(all: readonly Ended[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { graph, status, code } of all) {
    const key = code === null ? status : `${graph} ${code}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

let wrong = 0;
for (const timeout of seconds(values.timeouts)) {
  for (const kills of [[], seconds(values.kills)]) {
    const scope = new OwnScope();
    const began = performance.now();
    try {
      const ended = await powerCampaign(scope, { silences, kills, obm: { timeoutMs: timeout * 1_000 } });
      for (const one of ended.filter((each) => each.wrong.length > 0)) console.log(JSON.stringify(one));
      const doubled = ended.filter(({ ledger }) => new Set(ledger).size !== ledger.length).length;
      const failed = ended.filter((one) => one.wrong.length > 0).length;
      wrong += failed;
      const took = Math.round((performance.now() - began) / 1_000);
      const told = { timeout, kills: kills.length, commands: ended.length, doubled, wrong: failed, seconds: took };
      console.log(JSON.stringify({ ...told, ends: count(ended) }));
    } finally {
      await scope.close();
    }
  }
}
process.exit(wrong === 0 ? 0 : 1);
