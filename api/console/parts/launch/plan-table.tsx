/** The plan of a launch: its tasks in their order, the reasons against it, and its usual time. */
import { isDestructive } from '../../../client/destruction.ts';
import { labelsInShort, type ShownPlan } from '../../../client/shown-plan.ts';
import { preciseDuration, usualTime } from '../../../client/usual-time.ts';
import { DataTable } from '../data-table.tsx';
import { PlanEffects } from './destruction.tsx';

export function PlanTable({ plan, target }: { plan: ShownPlan; target: string }) {
  const { tasks, rejections, usualMs } = plan;
  return (
    <div class="plan">
      <p>
        {isDestructive(plan) ? <strong class="destructive">Destructive: it erases data. </strong> : null}
        {tasks.length} {tasks.length === 1 ? 'task' : 'tasks'} {target}, takes {usualTime(usualMs)}.
      </p>
      <PlanEffects plan={plan} />
      {rejections.length > 0 && (
        <div class="problem" role="alert">
          <p>The launch would be rejected:</p>
          <ul>
            {rejections.map(({ path, code, message }) => (
              <li key={`${path} ${code} ${message}`}>
                {path !== '' && <code>{path}</code>} {message} <code>{code}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
      <DataTable
        label={`Tasks ${target}`}
        rows={tasks}
        keyOf={({ label }) => label}
        empty="The graph has no tasks."
        columns={[
          { title: 'task', cell: ({ label }) => label },
          { title: 'recovery', cell: ({ recovery }) => recovery },
          { title: 'data', cell: ({ destructive }) => destructive && <strong class="destructive">erased</strong> },
          { title: 'usually', isNumber: true, cell: (task) => task.usualMs && `~${preciseDuration(task.usualMs.p50)}` },
          { title: 'after', cell: ({ waitsFor }) => labelsInShort(waitsFor) },
        ]}
      />
    </div>
  );
}
