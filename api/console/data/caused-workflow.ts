/** The cause of a workflow that failed, or is stuck. */

/** As the daemon groups them: by task, and by the message without its numbers and ids. */
export function isOfCause(
  { kind, task, message }: { kind: 'failed' | 'stuck'; task: string | null; message: string },
  { waiting, error, tasks }: CausedState,
): boolean {
  if (kind === 'stuck') return (waiting?.label ?? null) === task;
  const failed = tasks.filter(({ state }) => state === 'failed' || state === 'timeout');
  const label = (failed.find((one) => one.error?.message === error?.message) ?? failed.at(-1))?.label ?? null;
  return label === task && patternOf(message).test(error?.message ?? '');
}

type Failure = { message: string } | null;

interface CausedState {
  waiting: { label: string | null } | null;
  error: Failure;
  tasks: readonly { label: string; state: string; error: Failure }[];
}

/** @param message with `<n>` for numbers and `<id>` for ids */
function patternOf(message: string): RegExp {
  const escaped = message.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('<n>', '\\d[\\d.:]*').replaceAll('<id>', '[\\da-fA-F:-]+')}$`);
}
