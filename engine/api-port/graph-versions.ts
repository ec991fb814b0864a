/** The port of the API to the versions of graphs, and to their quarantine. */

export interface GraphVersion {
  hash: string;
  /** ISO 8601: when it was first served. */
  createdAt: string;
  /** null: put through the API, or of a pack. */
  file: string | null;
  /** A launch by the name runs it. */
  isCurrent: boolean;
  /** Why it must not run, because its code stopped the daemon; null: it may. `since`: ISO 8601. */
  quarantine: { since: string; reason: string } | null;
}

/** During startup, every method waits for the definitions. @throws NodewrightError UNAVAILABLE if that takes too long */
export interface VersionRequests {
  /** Newest first; empty for an unknown graph. */
  list(name: string): Promise<GraphVersion[]>;
  /**
   * Lets a version run again that is quarantined, and those of the same user that are quarantined with it.
   * @param hash of the version @param by the user
   * @throws NodewrightError CONFLICT if it is not quarantined @returns undefined if there is no such version
   */
  release(name: string, hash: string, by?: string): Promise<GraphVersion | undefined>;
}
