/** The page Workflow: one workflow, followed to its end. */
import { useEffect } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../data/daemon-client.ts';
import { isBeginning } from '../data/id-beginning.ts';
import { useLive } from '../data/live.ts';
import { idsWith } from '../data/whole-id.ts';
import { Heading } from '../parts/heading.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { CertificateTab } from './workflow/certificate-tab.tsx';
import { CommandOutputs } from './workflow/command-outputs.tsx';
import { mayHaveCertificate } from './workflow/filled-tabs.ts';
import { GraphTab } from './workflow/graph-tab.tsx';
import { HistoryTab } from './workflow/history-tab.tsx';
import { NotifyCallout } from './workflow/notify-callout.tsx';
import { outputTexts } from './workflow/output-texts.ts';
import { isUnderWay, type WorkflowPartProps } from './workflow/shown-workflow.ts';
import { WhyTab } from './workflow/why-tab.tsx';
import { WorkflowData } from './workflow/workflow-data.tsx';
import { WorkflowHeader } from './workflow/workflow-header.tsx';
import '../styles/workflow.css';

export function WorkflowPage() {
  const { id = '' } = useRoute().params;
  return isBeginning(id) ? <WorkflowBeginning beginning={id} /> : <WholeWorkflow id={id} />;
}

/** The address has the beginning of an id: it is replaced by that of the only workflow with it. */
function WorkflowBeginning({ beginning }: { beginning: string }) {
  const { query, route } = useLocation();
  const live = useLive(`ids with ${beginning}`, () => idsWith(beginning));
  const [id, other] = live.value.value ?? [];
  useEffect(() => {
    if (id === undefined || other !== undefined) return;
    const search = new URLSearchParams(query).toString();
    route(`/ui/workflows/${id}${search === '' ? '' : `?${search}`}`, true);
  }, [id, other]);
  return (
    <>
      <Heading>Workflow {beginning}</Heading>
      <LiveContent live={live}>
        {(ids) =>
          ids.length === 1 ? null : (
            <p>
              {ids.length === 0 ? 'No workflow has' : 'More than one workflow has'} an id that begins with{' '}
              <code>{beginning}</code>. <a href="/ui/workflows">All workflows</a>
            </p>
          )
        }
      </LiveContent>
    </>
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
      {live.value.value === undefined && <Heading>Workflow</Heading>}
      <LiveContent live={live}>{(workflow) => <OneWorkflow workflow={workflow} reload={live.reload} />}</LiveContent>
    </div>
  );
}

function OneWorkflow({ workflow, reload }: WorkflowPartProps) {
  const part = { workflow, reload };
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
          { name: 'why', title: 'Why', content: () => <WhyTab {...part} /> },
          { name: 'history', title: 'History', content: () => <HistoryTab workflow={workflow} /> },
          { name: 'data', title: 'Data', content: () => <WorkflowData workflow={workflow} /> },
          ...(outputTexts(workflow.tasks).length === 0 ? [] : [outputTab]),
          ...(mayHaveCertificate(workflow) ? [certificateTab] : []),
        ]}
      />
    </>
  );
}
