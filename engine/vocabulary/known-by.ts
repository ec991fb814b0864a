/** How the sender of a southbound request was identified as the node or an agent on it; strongest first. */
export const knownBy = ['key', 'address', 'nothing'] as const;

/**
 * - `key`: the request had the key that the node's boot delivered
 * - `address`: the request came from the node's address, entered by a user or bound to the node with its first key
 * - `nothing`: the request only named the node, and nothing contradicts it
 */
export type KnownBy = (typeof knownBy)[number];

/** The sender of a catalog: a user of the API, or a southbound sender. */
export type CatalogSender = 'operator' | KnownBy;

/** Returns the weaker identification: several requests are only as trustworthy as the weakest of them. */
export const lowestOf = (a: KnownBy | undefined, b: KnownBy): KnownBy =>
  a === undefined || knownBy.indexOf(b) > knownBy.indexOf(a) ? b : a;
