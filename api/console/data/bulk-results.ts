/** The result of one command to many workflows, in words. */
import type { GetAnswer } from '../../client/requests.ts';

export type BulkAction = GetAnswer<'/workflows/actions/:id'>;

/** Those whose retry may repeat what a task has done already. */
export const unsafeRetries = ({ items }: BulkAction): string[] =>
  items.filter(({ code }) => code === 'RETRY_UNSAFE').map(({ workflow }) => workflow);

/** By code. */
const rejections: Readonly<Record<string, string>> = { NODE_BUSY: 'another workflow is active on the node' };
const rejectionsOfMany: Readonly<Record<string, string>> = {
  ...rejections,
  RETRY_UNSAFE: 'a task may have taken effect, and would run again',
};

/** Why one of the workflows did not take the command. */
export const commandRejection = (code: string | null, message: string | null): string =>
  rejections[code ?? ''] ?? message ?? '';

/** `6 retried, 2 rejected: another workflow is active on the node`. */
export function resultText({ command, status, items }: BulkAction): string {
  const rejected = items.filter(({ status: itemStatus }) => itemStatus === 'rejected');
  const reasons = [...new Set(rejected.map(({ code }) => rejectionsOfMany[code ?? ''] ?? code))].join('; ');
  const done = items.filter(({ status: itemStatus }) => itemStatus === 'succeeded').length;
  const pending = status === 'running' ? `, ${items.length - done - rejected.length} pending` : '';
  return `${done} ${participles[command]}${rejected.length === 0 ? '' : `, ${rejected.length} rejected: ${reasons}`}${pending}`;
}

const participles: Record<BulkAction['command'], string> = {
  retry: 'retried',
  cancel: 'cancelled',
  pause: 'paused',
  resume: 'resumed',
};
