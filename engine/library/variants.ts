/**
 * Graphs that are not a pack's, as they run on nodes of a SKU whose pack brings a task of the same name as one of
 * theirs. A variant is another version, with a hash of its own; it keeps the graph's name and is in no list.
 */
import { type Version, versionOf } from './archive.ts';
import { type Candidate, compileGraph } from './candidate.ts';
import { packedName } from './packed.ts';
import type { DefinitionError, Graph } from './types.ts';

/** A graph that cannot take the pack's version of a task; on nodes of that SKU it runs as it is. */
export interface Unfit {
  sku: string;
  graph: string;
  message: string;
}

export interface VariantsPort {
  /** Of the graphs that are not a pack's. */
  common: readonly Candidate[];
  onSkus: ReadonlyMap<string, Parameters<typeof compileGraph>[1] & { own: ReadonlyMap<string, unknown> }>;
  graphs: ReadonlyMap<string, Graph>;
  /** ISO 8601. */
  at: string;
}

/** A candidate is compiled anew only when its tasks have changed, and that is known of the candidate. */
const kept = new WeakMap<Candidate, Map<string, Candidate>>();

function candidateOn(sku: string, candidate: Candidate): Candidate {
  const bySku = kept.get(candidate) ?? new Map<string, Candidate>();
  kept.set(candidate, bySku);
  const own = bySku.get(sku) ?? { ...candidate };
  bySku.set(sku, own);
  return own;
}

export function addVariants({ common, onSkus, graphs, at }: VariantsPort) {
  const variants = new Map<string, Graph>();
  const unfit: Unfit[] = [];
  const errors: DefinitionError[] = [];
  const versions: Version[] = [];
  for (const [sku, tables] of onSkus) {
    for (const candidate of common) {
      const name = nameOf(candidate);
      const graph = graphs.get(name);
      const differs = [...(graph?.labels.values() ?? [])].some(({ task }) => tables.own.has(task.name));
      if (!differs || graphs.has(packedName(name, sku))) continue;
      const own = candidateOn(sku, candidate);
      try {
        const { made, uses } = compileGraph(own, tables);
        if (made.hash === graph?.hash) continue;
        variants.set(packedName(name, sku), made);
        versions.push(versionOf(own, made.name, made.hash, uses, at));
      } catch (error) {
        const { message } = error as Error;
        unfit.push({ sku, graph: name, message });
        const expected = 'tasks of a pack that graphs can use like those that they stand for';
        errors.push({ file: packedName(name, sku), found: message, expected, message, at });
      }
    }
  }
  return { variants, unfit, errors, versions };
}

/** The candidate was served, so it has one. */
function nameOf({ body }: Candidate): string {
  if (body.kind === 'json') return (body.json as { injectableName: string }).injectableName;
  return (body.exported as { config: { id?: string } }).config.id ?? '';
}
