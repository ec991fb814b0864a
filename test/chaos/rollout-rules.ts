/** The rules of a rollout, by its record and the records of its workflows. */

export interface LaunchedTarget {
  id: string;
  node: string;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

export interface RolloutRow {
  id: string;
  status: string;
  reason: { kind: string; since: string } | null;
  counts: Record<string, number>;
}

interface Limits {
  targets: number;
  running: number;
  perRack: number;
}

/** @param rackOf by node @returns the rules that an ended rollout has broken */
export function brokenRules(
  { counts }: Pick<RolloutRow, 'counts'>,
  launched: readonly LaunchedTarget[],
  rackOf: ReadonlyMap<string, string>,
  { targets, running, perRack }: Limits,
): string[] {
  const broken = new Set<string>();
  const nodes = new Set(launched.map(({ node }) => node));
  if (nodes.size !== launched.length) broken.add('launched a target twice');
  if (nodes.size !== targets) broken.add(`launched ${nodes.size} of ${targets} targets`);
  const ended = (counts.succeeded ?? 0) + (counts.failed ?? 0);
  if (ended !== targets) broken.add(`counted ${JSON.stringify(counts)}`);
  for (const { startedAt } of launched) {
    const beside = launched.filter((one) => isRunning(one, startedAt ?? ''));
    if (beside.length > running) broken.add(`had ${beside.length} targets at a time at ${startedAt}`);
    for (const rack of new Set(rackOf.values())) {
      const inRack = beside.filter(({ node }) => rackOf.get(node) === rack).length;
      if (inRack > perRack) broken.add(`had ${inRack} targets of one rack at ${startedAt}`);
    }
  }
  return [...broken];
}

/** @param since when a gate tripped; the rollout was not resumed since */
export const beganAfter = (launched: readonly LaunchedTarget[], since: string): LaunchedTarget[] =>
  launched.filter(({ createdAt }) => createdAt > since);

const isRunning = ({ startedAt, finishedAt }: LaunchedTarget, at: string): boolean =>
  startedAt !== null && startedAt <= at && (finishedAt === null || finishedAt > at);
