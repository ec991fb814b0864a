/** Options of `Graph.Fixture.Compensate`. */
import { join } from 'node:path';

export const COMPENSATE_GRAPH = 'Graph.Fixture.Compensate';

export interface Asked {
  tag?: string;
  failures?: number;
  /** ms that the task, or the compensation, of this label takes after it wrote its line. */
  ms?: Record<string, number>;
}

/** Options of the fixture: each label writes its name. */
export function compensateOptions(
  dataDir: string,
  { tag = 'x', failures = 0, ms = {} }: Asked = {},
): Record<string, object> {
  const ledger = join(dataDir, 'ledger');
  const writes = Object.fromEntries(['first', 'second'].map((label) => [label, { ledger, line: `${tag} ${label}` }]));
  const third = { ledger, line: `${tag} third`, failures };
  const pauses = Object.entries(ms).map(([label, time]) => [label, { ...writes[label], ms: time }]);
  return { ...writes, third, ...Object.fromEntries(pauses) };
}
