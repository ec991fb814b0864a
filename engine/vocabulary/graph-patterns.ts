/** The names of graphs that a binding to a team permits. */

/** Whether the binding permits the graph. @param graphs absent: all */
export const admitsGraph = ({ graphs }: { graphs?: readonly string[] }, graph: string): boolean =>
  graphs === undefined || graphs.some((pattern) => matchesName(pattern, graph));

/** `*` matches any characters. A regular expression of a user could take long. */
export function matchesName(pattern: string, name: string): boolean {
  const [head = '', ...parts] = pattern.split('*');
  const tail = parts.pop();
  if (tail === undefined) return pattern === name;
  if (!name.startsWith(head) || name.length < head.length + tail.length || !name.endsWith(tail)) return false;
  let from = head.length;
  for (const part of parts) {
    const at = name.indexOf(part, from);
    if (at === -1 || at + part.length > name.length - tail.length) return false;
    from = at + part.length;
  }
  return true;
}
