/** @param version of Node.js, by default the running one; V8 has the interrupt budget up to Node.js 20 */
export function shortLived(version?: string): string[];
