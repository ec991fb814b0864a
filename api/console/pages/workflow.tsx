/** The page Workflow. */
import { useRoute } from 'preact-iso';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { Shown } from '../parts/shown.tsx';
import { WorkflowGraph } from './workflow/graph-tab.tsx';

export function WorkflowPage() {
  const { params } = useRoute();
  const id = params.id ?? '';
  const live = useLive(
    `workflow ${id}`,
    async () => (await client.get('/workflows/:id', { params: { id } })).body,
    (event) => event.typeId === id,
  );
  return (
    <>
      <h1>Workflow</h1>
      <Shown live={live}>{(workflow) => <WorkflowGraph workflow={workflow} select={() => {}} />}</Shown>
    </>
  );
}
