/** Records are requested by their ids, of which an address has room for some at a time. */

export const IDS_PER_REQUEST = 100;

export const idsInParts = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / IDS_PER_REQUEST) }, (_, part) =>
    ids.slice(part * IDS_PER_REQUEST, (part + 1) * IDS_PER_REQUEST),
  );
