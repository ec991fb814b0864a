/** Reads values of any type that were thrown: errors of Node.js, of libraries, and others. */

/** Returns a field of what was thrown, own or inherited. */
export const fieldOf = (thrown: unknown, name: string): unknown =>
  typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, name) : undefined;

/** Returns the code of an error, such as `ENOENT`; '' if it has none. */
export function codeOf(thrown: unknown): string {
  const code = fieldOf(thrown, 'code');
  return typeof code === 'string' ? code : '';
}

export function messageOf(thrown: unknown): string {
  const message = fieldOf(thrown, 'message');
  if (typeof message === 'string') return message;
  return typeof thrown === 'object' ? jsonOf(thrown) : String(thrown);
}

function jsonOf(thrown: unknown): string {
  try {
    return JSON.stringify(thrown);
  } catch {
    return String(thrown);
  }
}

/** Returns the code of the error, or of its cause, which comes first. */
export const rootCodeOf = (thrown: unknown): string => codeOf(fieldOf(thrown, 'cause')) || codeOf(thrown);
