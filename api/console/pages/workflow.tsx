/** The page Workflow: one workflow, followed to its end. */
import { useRoute } from 'preact-iso';
import { client } from '../data/daemon-client.ts';
import { isBeginning } from '../data/id-beginning.ts';
import { useLive } from '../data/live.ts';
import { workflowsWith } from '../data/whole-id.ts';
import { CompletedId } from '../parts/completed-id.tsx';
import { Heading } from '../parts/heading.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { NoRecord } from '../parts/no-record.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { CertificateTab } from './workflow/certificate-tab.tsx';
import { CommandOutputs } from './workflow/command-outputs.tsx';
import { hasReason, mayHaveCertificate } from './workflow/filled-tabs.ts';
import { GraphTab } from './workflow/graph-tab.tsx';
import { HistoryTab } from './workflow/history-tab.tsx';
import { NotifyCallout } from './workflow/notify-callout.tsx';
import { outputTexts } from './workflow/output-texts.ts';
import { isUnderWay, type WorkflowPartProps } from './workflow/shown-workflow.ts';
import { WhyTab } from './workflow/why-tab.tsx';
import { WorkflowData } from './workflow/workflow-data.tsx';
import { WorkflowHeader } from './workflow/workflow-header.tsx';
import '../styles/workflow.css';

const allWorkflows = { path: '/ui/workflows', title: 'All workflows' };

export function WorkflowPage() {
  const { id = '' } = useRoute().params;
  if (!isBeginning(id)) return <WholeWorkflow id={id} />;
  return (
    <CompletedId title={`Workflow ${id}`} what="workflow" beginning={id} idsWith={workflowsWith} list={allWorkflows} />
  );
}

function WholeWorkflow({ id }: { id: string }) {
  const live = useLive(
    `workflow ${id}`,
    async () => (await client.get('/workflows/:id', { params: { id } })).body,
    ({ typeId }) => typeId === id,
  );
  return (
    <div key={id} class="workflow-page">
      {live.value.value === undefined && live.problem.value?.status !== 404 && <Heading>Workflow</Heading>}
      <LiveContent live={live} missing={<NoRecord what="workflow" id={id} list={allWorkflows} />}>
        {(workflow) => <OneWorkflow workflow={workflow} reload={live.reload} />}
      </LiveContent>
    </div>
  );
}

function OneWorkflow({ workflow, reload }: WorkflowPartProps) {
  const part = { workflow, reload };
  const whyTab = { name: 'why', title: 'Why', content: () => <WhyTab {...part} /> };
  const outputTab = { name: 'output', title: 'Output', content: () => <CommandOutputs workflow={workflow} /> };
  const certificateTab = {
    name: 'certificate',
    title: 'Certificate',
    content: () => <CertificateTab id={workflow.id} />,
  };
  return (
    <>
      <WorkflowHeader {...part} />
      {isUnderWay(workflow) && <NotifyCallout {...part} />}
      <Tabs
        label="Parts of the workflow"
        tabs={[
          { name: 'graph', title: 'Graph', content: () => <GraphTab workflow={workflow} /> },
          ...(hasReason(workflow) ? [whyTab] : []),
          { name: 'history', title: 'History', content: () => <HistoryTab workflow={workflow} /> },
          { name: 'data', title: 'Data', content: () => <WorkflowData workflow={workflow} /> },
          ...(outputTexts(workflow.tasks).length === 0 ? [] : [outputTab]),
          ...(mayHaveCertificate(workflow) ? [certificateTab] : []),
        ]}
      />
    </>
  );
}
