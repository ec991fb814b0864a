/**
 * A rollout of a firmware update on a fleet in which some BMCs are silent: in phases, within a limit, with a gate that does
 * not trip. Its targets and the ledger of the twin say whether each was launched once and updated once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchDaemon } from './daemon.ts';
import { type Line, least, most } from './figure.ts';
import { exactlyOnce } from './fleet-twin.ts';

const RUNNING = 100;
const LOOK_MS = 500;
const PAGE = 500;

interface Rollout {
  id: string;
  status: string;
  counts: Record<string, number>;
}

type Read = <T>(path: string) => Promise<T>;

interface RolloutOutcome {
  status: string;
  counts: Record<string, number>;
  /** The largest number of targets that ran at the same time, as its record said. */
  running: number;
  /** By node. */
  launches: Map<string, number>;
}

/** @param silentPercent of the BMCs; the gate allows three times as many failures */
export async function rollOut(
  daemon: BenchDaemon,
  read: Read,
  { nodes, options, silentPercent }: { nodes: readonly string[]; options: object; silentPercent: number },
): Promise<RolloutOutcome> {
  const body = {
    name: 'a fleet',
    graph: 'Graph.Firmware.Update',
    options,
    seed: 90,
    targets: { nodes },
    phases: [{ size: 10 }, { size: '10%' }, { size: 'rest' }],
    limits: { running: RUNNING },
    gates: [{ failurePercent: 3 * silentPercent, scope: 'rollout' }],
  };
  const { id } = await daemon.post('/rollouts', body);
  let running = 0;
  for (;;) {
    const { status, counts } = await read<Rollout>(`/rollouts/${String(id)}`);
    running = Math.max(running, counts.running ?? 0);
    if (status !== 'running') return { status, counts, running, launches: await launchesOf(read, String(id)) };
    await sleep(LOOK_MS);
  }
}

async function launchesOf(read: Read, rollout: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let skip = 0; ; skip += PAGE) {
    const page = await read<{ node: string }[]>(`/workflows?rollout=${rollout}&$top=${PAGE}&$skip=${skip}`);
    for (const { node } of page) counts.set(node, (counts.get(node) ?? 0) + 1);
    if (page.length < PAGE) return counts;
  }
}

/** @param updates by machine, from the ledger */
export function rolloutLines(
  { status, counts, running, launches }: RolloutOutcome,
  updates: Map<string, number>,
): Line[] {
  const { succeeded = 0, failed = 0 } = counts;
  const targets = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return [
    { name: `rollout, ${status}: targets that succeeded`, value: succeeded, unit: '' },
    { name: 'rollout: targets that failed', value: failed, unit: '' },
    { name: 'rollout: targets launched exactly once', value: exactlyOnce(launches), unit: '', goal: least(targets) },
    {
      name: 'rollout: machines with exactly one update',
      value: exactlyOnce(updates),
      unit: '',
      goal: least(succeeded),
    },
    {
      name: 'rollout: machines with more than one update',
      value: updates.size - exactlyOnce(updates),
      unit: '',
      goal: most(0),
    },
    { name: 'rollout: targets at the same time', value: running, unit: '', goal: most(RUNNING) },
  ];
}
