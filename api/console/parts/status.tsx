/** The state of a workflow or a task: as a word, and by color and shape for those who see them. */
const marks: Record<string, string> = {
  pending: '○',
  running: '●',
  waiting: '◐',
  paused: '‖',
  succeeded: '✓',
  failed: '✗',
  cancelled: '⊘',
  skipped: '–',
};

export function Status({ of }: { of: string }) {
  return (
    <span class={`status ${of in marks ? of : ''}`}>
      <span aria-hidden="true">{marks[of] ?? '·'}</span> {of}
    </span>
  );
}
