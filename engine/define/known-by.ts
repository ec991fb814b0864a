/** How the sender of a southbound request is known to be the node, or an agent on it; strongest first. */
export const knownBy = ['key', 'address', 'nothing'] as const;

/**
 * - `key`: it had the key that the boot of the node handed out
 * - `address`: it sent from an address that is the node's, as a user entered it or as its first key was bound to it
 * - `nothing`: it said which node it is, and nothing speaks against that
 */
export type KnownBy = (typeof knownBy)[number];

/** Of a catalog: a user of the interface, or a southbound sender. */
export type CatalogSender = 'operator' | KnownBy;

/** What holds of several requests is what holds of the weakest. */
export const weakest = (a: KnownBy | undefined, b: KnownBy): KnownBy =>
  a === undefined || knownBy.indexOf(b) > knownBy.indexOf(a) ? b : a;
