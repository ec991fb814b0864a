/**
 * SKU overrides: graphs outside packs, as they run on nodes of a SKU whose pack has a task with the same name as one of
 * theirs. An override is another version with its own hash; it keeps the graph's name and appears in no list.
 */
import { messageOf } from '../../vocabulary/thrown-values.ts';
import type { DefinitionError, Graph } from '../types.ts';
import { type Version, versionOf } from './archive.ts';
import { compileGraph, type Draft } from './draft.ts';
import { skuDefinitionName } from './sku-definitions.ts';

/** A graph that cannot use the pack's version of a task; on nodes of that SKU it runs unchanged. */
export interface UnfitGraph {
  sku: string;
  graph: string;
  message: string;
}

/** One draft per SKU, because a draft is recompiled only if its tasks have changed. */
const overrideDrafts = new WeakMap<Draft, Map<string, Draft>>();

function draftOn(sku: string, draft: Draft): Draft {
  const bySku = overrideDrafts.get(draft) ?? new Map<string, Draft>();
  overrideDrafts.set(draft, bySku);
  const skuDraft = bySku.get(sku) ?? { ...draft };
  bySku.set(sku, skuDraft);
  return skuDraft;
}

/**
 * @param common by name: the graphs that are not from a pack
 * @param at time of the versions, ISO 8601
 */
export function addSkuOverrides(
  common: ReadonlyMap<string, Draft>,
  onSkus: ReadonlyMap<string, Parameters<typeof compileGraph>[1] & { own: ReadonlyMap<string, unknown> }>,
  graphs: ReadonlyMap<string, Graph>,
  at: string,
) {
  const skuOverrides = new Map<string, Graph>();
  const unfit: UnfitGraph[] = [];
  const errors: DefinitionError[] = [];
  const versions: Version[] = [];
  for (const [sku, tables] of onSkus) {
    for (const [name, draft] of common) {
      const graph = graphs.get(name);
      const differs = [...(graph?.labels.values() ?? [])].some(({ task }) => tables.own.has(task.name));
      if (!differs || graphs.has(skuDefinitionName(name, sku))) continue;
      const skuDraft = draftOn(sku, draft);
      try {
        const { made, uses } = compileGraph(skuDraft, tables);
        if (made.hash === graph?.hash) continue;
        skuOverrides.set(skuDefinitionName(name, sku), made);
        versions.push(versionOf(skuDraft, made.name, made.hash, uses, at));
      } catch (error) {
        const message = messageOf(error);
        unfit.push({ sku, graph: name, message });
        const expected = 'tasks of a pack that graphs can use instead of those that they override';
        errors.push({ file: skuDefinitionName(name, sku), found: message, expected, message, at, served: name });
      }
    }
  }
  return { skuOverrides, unfit, errors, versions };
}
