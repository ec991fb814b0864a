/** The reason for which a launch would be rejected, in words. */
import type { ShownPlan } from '../../../client/shown-plan.ts';

type Rejection = ShownPlan['rejections'][number];

const subjects: Record<string, string> = { NODE_HELD: 'The node is held:', NODE_BUSY: 'The node is busy:' };

/** The next step for an option whose field has words of its own. */
const steps: Record<string, string> = { eraseSettings: 'Choose the drives to erase.' };

const OPTION = /^options\.([^.]+)\.(.+)$/;

/** An option that is required and has no value yet: a step that is open, no mistake. */
export const isOpenStep = ({ path, message }: Pick<Rejection, 'path' | 'message'>): boolean =>
  message === 'is missing' && /^options(?:\.\w[\w-]*){2}$/.test(path);

/** `size` is missing in a value that was entered: `[0].size is missing`. @param within the path of the option */
export const wrongText = ({ path, message }: Pick<Rejection, 'path' | 'message'>, within: string): string =>
  `${path.slice(within.length).replace(/^[./]/, '')} ${message}`.trim();

/** The step that is open, or the option with its task, and what is wrong with it: `volumes (configure) has 9 entries`. */
export function rejectionText(rejection: Rejection): string {
  const { path, code, message } = rejection;
  const [, label, key = ''] = OPTION.exec(path) ?? [];
  if (isOpenStep(rejection)) return steps[key] ?? `Enter ${key} (${label}).`;
  const isPredicate = /^(?:is|are|has|have|expected|must)\b/.test(message);
  const option = label === undefined ? undefined : `${key} (${label})${isPredicate ? '' : ':'}`;
  const subject = subjects[code] ?? option ?? (isPredicate ? path : '');
  return `${subject} ${message}`.trim();
}
