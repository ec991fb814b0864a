/** The width below which a table scrolls sideways instead of cutting its texts. */

const REM = /^([\d.]+)rem$/;

/** @returns the sum of the columns; undefined: some are shares of whatever width there is */
export function leastWidth(columns: readonly { width: string }[]): string | undefined {
  const measures = columns.flatMap(({ width }) => REM.exec(width)?.[1] ?? []);
  if (measures.length < columns.length) return undefined;
  return `${measures.reduce((sum, measure) => sum + Number(measure), 0)}rem`;
}
