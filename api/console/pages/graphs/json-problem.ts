/** Why a text is no JSON object; undefined: it is one. */
export function jsonProblem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return undefined;
    return `found ${Array.isArray(value) ? 'a list' : String(value).slice(0, 40)}, expected an object`;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, at] = /position (\d+)/.exec(message) ?? [];
    return at === undefined ? message : `line ${text.slice(0, Number(at)).split('\n').length}: ${message}`;
  }
}
