/** Quotes a value for a POSIX shell, so that it is one word and nothing of it is interpreted. */
export const shellQuoted = (value: string | number): string => `'${String(value).replaceAll("'", "'\\''")}'`;
