/** The graphs that were last launched in this browser. */
import { storedText, storeText } from './stored-texts.ts';

const RECENT_KEY = 'recent-graphs';
const MAX_RECENT = 5;

/** Their names, the newest first. */
export function recentGraphs(): readonly string[] {
  try {
    const names: unknown = JSON.parse(storedText(RECENT_KEY) ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

export function noteLaunch(graph: string): void {
  const names = [graph, ...recentGraphs().filter((name) => name !== graph)];
  storeText(RECENT_KEY, JSON.stringify(names.slice(0, MAX_RECENT)));
}
