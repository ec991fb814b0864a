/** The effect of a change on the tables, and the changes that a pack may not make. */
import { NodewrightError, type Violation } from '../../vocabulary/errors.ts';
import { Rejection, violationsOf } from '../options/rejection.ts';
import type { Entry, Tables } from './link.ts';
import { nameBehind, plainName } from './sku-definitions.ts';

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

/** @throws Rejection of the definition, or CONFLICT if a graph would no longer run */
export function rejectBroken(name: string, entry: Entry, before: Tables, after: Tables): void {
  if (!after.served.has(entry))
    throw entry.rejection ?? new Rejection(`a ${entry.what} that does not compile`, 'one that compiles');
  const broken = [...before.graphs.keys()].filter((graph) => !after.graphs.has(graph));
  if (broken.length === 0) return;
  throw new NodewrightError(
    'CONFLICT',
    `found ${broken.join(', ')} using ${name} in a way that the new version does not allow`,
  );
}

/**
 * @param without returns the tables without the task, in which an included one may have taken its place
 * @throws NodewrightError CONFLICT if a graph uses the task
 */
export function rejectUsed(name: string, { tasks, uses }: Tables, without: () => Tables): void {
  const hash = tasks.get(name)?.hash;
  const users = [...uses].filter(([, used]) => hash !== undefined && used.get(name) === hash).map(([graph]) => graph);
  if (users.length === 0) return;
  const { graphs } = without();
  if (users.every((graph) => graphs.has(graph))) return;
  const message = `found ${name} used by ${users.slice(0, 10).join(', ')}; remove or change those graphs first`;
  throw new NodewrightError('CONFLICT', message);
}

/** Returns the name of a definition of a pack, with its file. */
function placeIn({ at, inPack }: Entry): string {
  const name = plainName(at);
  return inPack === undefined || inPack === name ? name : `${inPack} (${name})`;
}

/** Their paths begin with the file: `graphs/a.json#tasks.0.taskName`. */
export function violationsIn(entry: Entry): Violation[] {
  const file = entry.inPack ?? plainName(entry.at);
  const violations = entry.rejection === undefined ? [] : violationsOf(entry.rejection);
  return violations.map(({ path, message }) => ({ path: path === '' ? file : `${file}#${path}`, message }));
}

/** @throws NodewrightError INVALID with all violations, or CONFLICT if a graph would no longer run */
export function rejectUnfit(
  sku: string,
  before: Tables,
  after: Tables,
  ownEntries: readonly (readonly [string, Entry])[],
): void {
  const rejected = ownEntries.filter(([, entry]) => !after.served.has(entry)).map(([, entry]) => entry);
  const unfit = after.unfit.filter((one) => one.sku === sku);
  const sentences = [
    ...rejected.map((entry) => `The pack's ${placeIn(entry)}: ${entry.rejection?.message ?? 'it does not compile'}`),
    ...unfit.map(({ graph, message }) => `The pack's tasks do not fit ${graph}: ${message}`),
  ];
  const [first, ...others] = sentences;
  if (first !== undefined) {
    const more = others.length === 0 ? '' : `; and ${others.length} more`;
    const violations = [
      ...rejected.flatMap(violationsIn),
      ...unfit.map(({ graph, message }) => ({ path: graph, message })),
    ];
    throw new NodewrightError('INVALID', `${first}${more}`, { violations });
  }
  const gone = [...before.graphs.keys()].filter(
    (name) => nameBehind(name, sku) === undefined && !after.graphs.has(name),
  );
  if (gone.length > 0) throw new NodewrightError('CONFLICT', `found ${gone[0]}, which the pack would break`);
}
