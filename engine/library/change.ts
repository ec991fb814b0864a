/** The effect of a change on the tables, and the changes that a pack may not make. */
import { NodewrightError } from '../define/errors.ts';
import type { Entry, Tables } from './link.ts';
import { nameBehind } from './sku-definitions.ts';

/** The effect of a change on the tables. */
export interface Change {
  added: string[];
  changed: string[];
  removed: string[];
}

export function difference(before: Map<string, { hash: string }>, now: Map<string, { hash: string }>): Change {
  const added = [...now.keys()].filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !now.has(name));
  const changed = [...now]
    .filter(([name, { hash }]) => (before.get(name)?.hash ?? hash) !== hash)
    .map(([name]) => name);
  return { added, changed, removed };
}

/** @throws NodewrightError INVALID, or CONFLICT if a graph would no longer run */
export function rejectUnfit(
  sku: string,
  before: Tables,
  after: Tables,
  own: readonly (readonly [string, Entry])[],
): void {
  for (const [, entry] of own) {
    if (after.served.has(entry)) continue;
    const why = entry.rejection?.message ?? 'it does not compile';
    const violations = entry.rejection?.violations;
    throw new NodewrightError('INVALID', `The pack's ${entry.at.split('::')[0]}: ${why}`, violations && { violations });
  }
  const unfit = after.unfit.find((one) => one.sku === sku);
  if (unfit !== undefined)
    throw new NodewrightError('INVALID', `The pack's tasks do not fit ${unfit.graph}: ${unfit.message}`);
  const gone = [...before.graphs.keys()].filter(
    (name) => nameBehind(name, sku) === undefined && !after.graphs.has(name),
  );
  if (gone.length > 0) throw new NodewrightError('CONFLICT', `found ${gone[0]}, which the pack would break`);
}
