/** The reason for which a launch would be rejected, in words. */
import type { ShownPlan } from '../../../client/shown-plan.ts';

const subjects: Record<string, string> = { NODE_HELD: 'The node is held:', NODE_BUSY: 'The node is busy:' };

/** The option with its task, and what is wrong with it: `volumes (configure): is missing`. */
export function rejectionText({ path, code, message }: ShownPlan['rejections'][number]): string {
  const [, label, key] = /^options\.([^.]+)\.(.+)$/.exec(path) ?? [];
  const isPredicate = /^(?:is|are|has|have|expected|must)\b/.test(message);
  const subject = subjects[code] ?? (key !== undefined ? `${key} (${label}):` : isPredicate ? path : '');
  return `${subject} ${message}`.trim();
}
