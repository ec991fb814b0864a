/** The record of a run: tasks, and the course line by line. */
import { DataTable } from '../../parts/data-table.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { ShortText } from '../../parts/short-text.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import type { PlayedRun } from './use-played.ts';

export function RunRecord({ found: { tasks, trace, output, status } }: { found: PlayedRun }) {
  return (
    <>
      {status === 'succeeded' && output !== null && (
        <>
          <h2>Output of the workflow</h2>
          <JsonTree label="Output of the workflow" value={output} />
        </>
      )}
      <h2>Tasks</h2>
      <DataTable
        label="Tasks"
        rows={tasks}
        keyOf={({ label }) => label}
        empty="The graph has no tasks."
        columns={[
          { title: 'label', cell: ({ label }) => label },
          { title: 'task', cell: ({ taskName }) => taskName },
          { title: 'state', cell: ({ state }) => <StatePill of={state} /> },
          { title: 'attempts', cell: ({ attempts, maxAttempts }) => `${attempts} of ${maxAttempts}` },
          { title: 'waits for', cell: ({ waitingOn }) => waitingOn ?? '' },
          {
            title: 'error',
            cell: ({ error }) => error !== null && <ShortText text={`${error.code}: ${error.message}`} most={120} />,
          },
          {
            title: 'output',
            cell: ({ label, output: taskOutput }) =>
              taskOutput !== null && <JsonTree label={`Output of ${label}`} value={taskOutput} />,
          },
        ]}
      />
      <h2>Steps</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys. */}
      <section class="course" aria-label="Course" tabIndex={0}>
        <ol>
          {trace.map((line, at) => (
            <li key={at} class={line.includes(' > ') ? 'own' : undefined}>
              {line}
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}
