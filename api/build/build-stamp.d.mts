export declare function stampOf(
  inputs: readonly string[],
  outputs: readonly string[],
  root: string,
  start: number,
): string;
export declare function isCurrent(stampFile: string, root: string): boolean;
