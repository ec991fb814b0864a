/** The state of a workflow or a task: as a word, and by color and shape for those who see them. */
export const statusSymbols: Record<string, string> = {
  pending: '○',
  running: '●',
  waiting: '◐',
  paused: '‖',
  succeeded: '✓',
  failed: '✗',
  timeout: '✗',
  cancelled: '⊘',
  skipped: '–',
};

/** @param text instead of the word */
export function Status({ of, text = of }: { of: string; text?: string }) {
  return (
    <span class={`status ${of in statusSymbols ? of : ''}`}>
      <span aria-hidden="true">{statusSymbols[of] ?? '·'}</span> {text}
    </span>
  );
}

interface WorkflowState {
  status: string;
  paused: unknown;
  waiting: unknown;
}

/** A workflow that is paused, or that waits, does not run. */
export function stateInWord({ status, paused, waiting }: WorkflowState): string {
  if (status !== 'running' && status !== 'pending') return status;
  return paused !== null ? 'paused' : waiting !== null ? 'waiting' : status;
}

export const WorkflowSymbol = ({ of }: { of: WorkflowState }) => <Status of={stateInWord(of)} />;
