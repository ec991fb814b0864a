export declare function stampOf(
  inputs: readonly string[],
  outputs: readonly string[],
  root: string,
  start: number,
): Promise<string>;
export declare function isCurrent(stampFile: string, root: string): Promise<boolean>;
