/** The tasks of a plan in their order, folded. */

import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { labelsInShort, type ShownPlan } from '../../../client/shown-plan.ts';
import { preciseDuration } from '../../../client/usual-time.ts';
import { DataTable } from '../data-table.tsx';

/** @param target nodes that have this plan, in words; '': all */
export const TaskTable = ({ plan: { tasks }, target }: { plan: ShownPlan; target: string }) => (
  <details class="tasks">
    <summary>
      {countText(tasks.length, 'task')}
      {target !== '' && ` on ${target}`}
    </summary>
    <DataTable
      label={`Tasks ${target}`}
      rows={tasks}
      keyOf={({ label }) => label}
      empty="The graph has no tasks."
      columns={[
        {
          title: 'task',
          cell: ({ label, recovery, destructive, waitsFor }) => (
            <>
              {label}
              {destructive && <strong class="destructive"> erases data</strong>}
              <small class="quiet">
                {recovery}
                {waitsFor.length > 0 && `, after ${labelsInShort(waitsFor)}`}
              </small>
            </>
          ),
        },
        { title: 'usually', isNumber: true, cell: (task) => task.usualMs && preciseDuration(task.usualMs.p50) },
      ]}
    />
  </details>
);
