/** By major version. */
export const VERSIONS: Record<string, string>;
/** @returns the folder of the program `node`; undefined: it is not installed */
export function folderOf(major: string): string | undefined;
