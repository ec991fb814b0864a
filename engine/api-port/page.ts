/** Pages of lists. */

/** A request for one page. `filter` maps dotted paths to values, or to MongoDB operators that the API itself added. */
export interface Page {
  skip: number;
  /** 1 to 1,000. */
  limit: number;
  sort?: Record<string, 1 | -1>;
  filter: Record<string, unknown>;
  /** The fields that the client asks for, so that others need not be read; absent: all. */
  fields?: readonly string[];
}

export interface PagedList<T> {
  items: T[];
  /** Number of items on all pages. */
  total: number;
}
