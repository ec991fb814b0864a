/** The bytes of values as JSON. */

/** The most bytes of a character of a text or key, such as `\u0001`. */
export const CHARACTER_BYTES = 6;
/** The most bytes of a value besides its text and key: 24 of a number, or the quotes, brackets, colon and comma. */
export const VALUE_BYTES = 26;

/** Returns the bytes of its text; 0 of a value that JSON does not have. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');
