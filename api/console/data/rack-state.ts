/** The state of a node in the picture of its rack. */
import type { GetAnswer } from '../../client/requests.ts';

/** @param last state of its last workflow of a day @returns undefined: free */
export function rackState(
  { active, held }: Pick<GetAnswer<'/nodes'>[number], 'active' | 'held'>,
  last?: string,
): string | undefined {
  if (active !== null) return last ?? 'running';
  if (held.length > 0) return 'held';
  return last === 'failed' ? 'failed' : undefined;
}
