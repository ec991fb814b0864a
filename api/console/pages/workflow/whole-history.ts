/** The history of a workflow. It only grows, so that each read asks for what is new. */
import { useRef } from 'preact/hooks';
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { type LiveValue, useLive } from '../../data/live.ts';

export type ListedLine = GetAnswer<'/workflows/:id/history'>[number];

export interface WholeHistory {
  lines: readonly ListedLine[];
  isCut: boolean;
}

const LINES_PER_PAGE = 1_000;
const MAX_LINES = 10_000;

export function useWholeHistory(id: string): LiveValue<WholeHistory> {
  const historyRef = useRef<{ id: string; lines: readonly ListedLine[] }>({ id, lines: [] });
  const read = async (): Promise<WholeHistory> => {
    let lines = historyRef.current.id === id ? historyRef.current.lines : [];
    while (lines.length < MAX_LINES) {
      const query = { $top: LINES_PER_PAGE, $skip: lines.length };
      const { body } = await client.get('/workflows/:id/history', { params: { id }, query });
      if (body.length > 0) lines = [...lines, ...body];
      if (body.length < LINES_PER_PAGE) break;
    }
    historyRef.current = { id, lines };
    return { lines, isCut: lines.length >= MAX_LINES };
  };
  return useLive(`history ${id}`, read, ({ typeId }) => typeId === id);
}
