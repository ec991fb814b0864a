/** Pages of lists. */

/** One page of a list. `filter` holds equalities by dotted path, or MongoDB's operators where the API itself adds them. */
export interface Page {
  skip: number;
  /** 1 to 1,000. */
  limit: number;
  sort?: Record<string, 1 | -1>;
  filter: Record<string, unknown>;
}

export interface Paged<T> {
  items: T[];
  /** How many there are on all pages. */
  total: number;
}
