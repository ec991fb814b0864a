/** The nodes that a change of the rules of a SKU would move: those that get it, keep it, or lose it. */

export interface SkuRank {
  id: string;
  /** Their number. */
  rules: number;
  /** ISO 8601; '': it is about to be created. */
  createdAt: string;
}

export interface SkuChanges {
  /** Nodes that get it, by the id of the SKU that they have today; null: none. */
  gained: Map<string | null, string[]>;
  kept: string[];
  /** They no longer match; another SKU may match. */
  lost: string[];
  /** They match, but another SKU is preferred, by its id. */
  stay: Map<string, string[]>;
}

/** If several SKUs match, the one with more rules is chosen, then the older one. */
function isPreferred(one: SkuRank, other: SkuRank): boolean {
  if (one.rules !== other.rules) return one.rules > other.rules;
  if (one.createdAt !== other.createdAt)
    return one.createdAt !== '' && (other.createdAt === '' || one.createdAt < other.createdAt);
  return one.id < other.id;
}

/**
 * @param changed the SKU with its new rules; its id is '' if it is new
 * @param matching ids of the nodes that match the new rules
 * @param skuOf the SKU of each node today
 */
export function skuChanges(
  changed: SkuRank,
  others: ReadonlyMap<string, SkuRank>,
  matching: readonly string[],
  skuOf: ReadonlyMap<string, string | null>,
): SkuChanges {
  const changes: SkuChanges = { gained: new Map(), kept: [], lost: [], stay: new Map() };
  const matches = new Set(matching);
  for (const [node, sku] of skuOf) {
    if (!matches.has(node)) {
      if (sku !== null && sku === changed.id) changes.lost.push(node);
      continue;
    }
    const other = sku === null ? undefined : others.get(sku);
    if (sku !== null && sku === changed.id) changes.kept.push(node);
    else if (sku !== null && other !== undefined && isPreferred(other, changed)) addTo(changes.stay, sku, node);
    else addTo(changes.gained, sku, node);
  }
  return changes;
}

function addTo<K>(groups: Map<K, string[]>, key: K, node: string): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [node]);
  else group.push(node);
}
