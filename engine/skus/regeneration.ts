/**
 * The regeneration: all nodes are classified anew after SKUs changed, as one piece of work.
 *
 * 1. It goes through the nodes by id, a page at a time, and writes down how far it came. Whoever goes on after a crash
 *    begins there; a page that was not written down is classified once more, and stays as it is.
 * 2. When the SKUs change meanwhile it ends, and begins again with the first node.
 * 3. It tells how far it is whenever another percent is done, and in any case that it is through.
 */
import type { Publication } from '../define/event.ts';
import type { Collection } from '../store/port.ts';
import type { ClassifiedNode, Classifier } from './classifier.ts';
import { progressEvent } from './events.ts';
import { atFirst, type Generation, type Progress, type Regeneration } from './generation.ts';

export interface RegenerationPort {
  generation: Generation;
  nodes: Collection<ClassifiedNode>;
  classifier: Classifier;
  publish(publications: readonly Publication[]): Promise<void>;
  /** Whether this process is still to do it. */
  goesOn(): Promise<boolean>;
  /** Told how far it is. */
  seen(state: Regeneration): void;
}

const PAGE = 100;

/** Nothing was changed that is not classified by. */
export const isDone = ({ generation, done }: Regeneration): boolean => done >= generation;

/** @param found what was read a moment ago: with something to do, and no change under way */
export async function regenerate(port: RegenerationPort, found: Regeneration): Promise<void> {
  const target = found.generation;
  const total = await port.nodes.count({});
  let at: Progress = { ...(found.target === target ? found : atFirst), total };
  const state = (): Regeneration => ({ ...found, target, ...at });
  // From here on what is written down is of this generation.
  if (!(await port.generation.keep(target, progressOf(at)))) return;
  for (;;) {
    port.seen(state());
    if (!(await port.goesOn())) return;
    const page = await port.nodes.find({ id: { $gt: at.cursor } }, { limit: PAGE });
    const changed = await port.classifier.classify(page);
    const before = percent(at);
    at = { ...at, cursor: page.at(-1)?.id ?? at.cursor, seen: at.seen + page.length, changed: at.changed + changed };
    if (!(await port.generation.keep(target, progressOf(at)))) return;
    if (page.length < PAGE) break;
    if (percent(at) > before) await port.publish([progressEvent(state(), false)]);
  }
  // Told first: who dies now tells it again, under the same id.
  await port.publish([progressEvent(state(), true)]);
  await port.generation.finish(target);
  port.seen({ ...state(), done: target });
}

const percent = ({ seen, total }: Progress): number => (total === 0 ? 0 : Math.floor((100 * seen) / total));

const progressOf = ({ cursor, seen, changed, total }: Progress): Progress => ({ cursor, seen, changed, total });
