/**
 * Puts a folder that does not exist in place when it is complete.
 * @param files their paths in it, and their texts
 */
export function putFolder(folder: string, files: Iterable<readonly [path: string, text: string]>): Promise<void>;
