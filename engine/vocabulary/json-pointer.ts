/** JSON pointers (RFC 6901), and the dotted paths that messages show instead. */

/** Escapes a key as a part of a pointer. */
export const pointerPart = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The reverse of `pointerPart`. */
export const keyOfPart = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

/** Converts a pointer to a path as shown by the API: `/disks/0` is `disks.0`. */
export const dottedPath = (pointer: string): string => keyOfPart(pointer.slice(1).replaceAll('/', '.'));

/** Returns the dotted path of a key of the value at a path; an empty path is the whole value. */
export const pathOfKey = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);
