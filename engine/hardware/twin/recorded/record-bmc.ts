/** Records the tree of a real BMC: by GETs, in one session, which is ended. */

import { codeOf, fieldOf } from '../../../vocabulary/thrown-values.ts';
import { RedfishSession, type RedfishTarget } from '../../obm/session.ts';
import { RECORDED_ROOT, type RecordedTree, recordTree } from '../machine/recorded-tree.ts';

/** A request; BMCs are slow. */
const REQUEST_MS = 60_000;

/** @param missed is called for each resource that the BMC does not give @throws ObmError; the reason of the signal */
export async function recordBmc(
  target: RedfishTarget,
  signal: AbortSignal,
  missed: (path: string) => void,
): Promise<RecordedTree> {
  const session = new RedfishSession(target, REQUEST_MS);
  try {
    return await recordTree(async (path) => {
      try {
        return (await session.ask({ method: 'GET', path }, signal)).body;
      } catch (error) {
        signal.throwIfAborted();
        // Trees of vendors have links that lead nowhere; without the root or the credentials there is no tree.
        const isMissing = fieldOf(error, 'status') !== undefined && codeOf(error) !== 'OBM_REJECTED';
        if (!isMissing || path === `${RECORDED_ROOT}/`) throw error;
        missed(path);
        return undefined;
      }
    });
  } finally {
    await session.close();
  }
}
