/** Links to the child workflows of a workflow. */
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { WorkflowLink } from '../../parts/links.tsx';
import { WorkflowPill } from '../../parts/state-pill.tsx';
import { Fact } from './fact.tsx';
import type { ShownWorkflow } from './shown-workflow.ts';

/** Workflows below one at the top that are looked at. */
const MAX_CHILDREN = 200;

export function ChildWorkflows({ workflow: { id, root } }: { workflow: ShownWorkflow }) {
  const query = {
    root: root ?? id,
    fields: 'id,injectableName,status,paused,waiting,parent',
    sort: 'createdAt',
    $top: MAX_CHILDREN,
  };
  const { value } = useLive(
    `children ${id}`,
    async () => {
      const { body, total = 0 } = await client.get('/workflows', { query });
      return { children: body.filter(({ parent }) => parent === id), isCut: total > body.length };
    },
    ({ type }) => type === 'graph',
  );
  const listing = value.value;
  if (listing === undefined || listing.children.length === 0) return null;
  return (
    <Fact name="Children" isLong>
      <ul class="plain">
        {listing.children.map((child) => (
          <li key={child.id}>
            <WorkflowLink id={child.id} text={child.injectableName} /> <WorkflowPill of={child} />
          </li>
        ))}
        {listing.isCut && <li>and perhaps more: only {MAX_CHILDREN} workflows were looked at</li>}
      </ul>
    </Fact>
  );
}
