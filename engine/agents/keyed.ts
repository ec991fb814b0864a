/** Objects whose keys come from outside. */

/** `__proto__` is a key like any other. */
export function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The second value of a key makes a list of both. */
export function add(target: Record<string, unknown>, key: string, value: unknown): void {
  const there = Object.hasOwn(target, key) ? target[key] : undefined;
  define(target, key, there === undefined ? value : Array.isArray(there) ? [...there, value] : [there, value]);
}
