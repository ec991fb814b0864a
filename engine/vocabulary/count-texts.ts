/** A number with its noun: `1 node`, `2,000 nodes`. */
const number = new Intl.NumberFormat('en');

/** @param many of a noun whose plural has more than an s */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${number.format(count)} ${nounFor(count, one, many)}`;

/** The noun alone. */
export const nounFor = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many);
