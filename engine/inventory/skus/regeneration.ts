/**
 * Regeneration: reclassifies all nodes after SKUs changed, as one coalesced operation.
 *
 * 1. It visits the nodes by id, a page at a time, and saves its position. After a crash, another process continues
 *    there; a page whose position was not saved is classified once more, without effect.
 * 2. If the SKUs change in the meantime, it stops, and starts again with the first node.
 * 3. It publishes its progress at each further percent, and always its end.
 */
import type { Classifier } from './classifier.ts';
import { progressEvent } from './events.ts';
import { atFirst, type Generation, type Regeneration, type RegenerationProgress } from './generation.ts';
import type { SkusPort } from './skus-port.ts';

interface WatchedState {
  /** Whether this process should continue the regeneration. */
  goesOn(): Promise<boolean>;
  /** Called with the current progress. */
  seen(state: Regeneration): void;
}

const NODES_PER_PAGE = 100;

/** Whether all nodes are classified by the current generation. */
export const isRegenerated = ({ generation, done }: Regeneration): boolean => done >= generation;

/** @param regeneration read just before: an unfinished generation, and no running change */
export async function regenerate(
  { nodes, outbox }: Pick<SkusPort, 'nodes' | 'outbox'>,
  generation: Generation,
  classifier: Classifier,
  regeneration: Regeneration,
  { goesOn, seen }: WatchedState,
): Promise<void> {
  const target = regeneration.generation;
  const total = await nodes.count({});
  let at: RegenerationProgress = { ...(regeneration.target === target ? regeneration : atFirst), total };
  const state = (): Regeneration => ({ ...regeneration, target, ...at });
  // From here on, only progress of this generation is written.
  if (!(await generation.keep(target, progressOf(at)))) return;
  for (;;) {
    seen(state());
    if (!(await goesOn())) return;
    const page = await nodes.find({ id: { $gt: at.cursor } }, { limit: NODES_PER_PAGE });
    const { changed } = await classifier.classify(page);
    const before = percent(at);
    at = { ...at, cursor: page.at(-1)?.id ?? at.cursor, seen: at.seen + page.length, changed: at.changed + changed };
    if (!(await generation.keep(target, progressOf(at)))) return;
    if (page.length < NODES_PER_PAGE) break;
    if (percent(at) > before) await outbox.publish([progressEvent(state(), false)]);
  }
  // Published first: if the process dies here, it is published again under the same id.
  await outbox.publish([progressEvent(state(), true)]);
  await generation.finish(target);
  seen({ ...state(), done: target });
}

const percent = ({ seen, total }: RegenerationProgress): number => (total === 0 ? 0 : Math.floor((100 * seen) / total));

const progressOf = ({ cursor, seen, changed, total }: RegenerationProgress): RegenerationProgress => ({
  cursor,
  seen,
  changed,
  total,
});
