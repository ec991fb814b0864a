/** Writes to objects with untrusted keys. */

/** Sets an own property, also for the key `__proto__`: an assignment is many times faster, but would set the prototype. */
export function define(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Adds a value; a second value of the same key makes a list of both. */
export function add(target: Record<string, unknown>, key: string, value: unknown): void {
  const there = Object.hasOwn(target, key) ? target[key] : undefined;
  if (Array.isArray(there)) there.push(value);
  else define(target, key, there === undefined ? value : [there, value]);
}
