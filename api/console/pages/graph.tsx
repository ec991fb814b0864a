/** A graph: how it goes, whether it is sound, how long it takes, and how it changed. */

import { useSignal } from '@preact/signals';
import { useLocation, useRoute } from 'preact-iso';
import { mayOperateSite } from '../data/current-user.ts';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { CopyableText } from '../parts/copyable.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Heading } from '../parts/heading.tsx';
import { JsonTree } from '../parts/json-tree.tsx';
import { LaunchButton } from '../parts/launch/launch-button.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { NoRecord } from '../parts/no-record.tsx';
import { RemoveButton } from '../parts/remove-button.tsx';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { DrawnDefinition } from './graph/drawn-definition.tsx';
import { GraphCheck } from './graph/graph-check.tsx';
import { GraphTimes } from './graph/graph-times.tsx';
import { GraphVersions } from './graph/graph-versions.tsx';
import { GraphEditor } from './graphs/graph-editor.tsx';
import { graphSummaryOf } from './graphs/graph-summary.ts';
import '../styles/graphs.css';
import { LinkNeedingRight, NeedsRight } from '../parts/needs-right.tsx';

export function GraphPage() {
  const { params, query } = useRoute();
  const { name = '' } = params;
  const { hash } = query;
  const live = useLive(
    `graph ${name} ${hash}`,
    async () => (await client.get('/workflows/graphs/:name', { params: { name }, query: { hash } })).body as object,
  );
  const edition = useSignal(0);
  const onSaved = () => {
    edition.value += 1;
    live.reload();
  };
  const tabs: Tab[] = [
    { name: 'drawing', title: 'Drawing', content: () => <DrawnDefinition name={name} hash={hash} /> },
    ...(mayOperateSite.value && hash === undefined
      ? [
          { name: 'check', title: 'Check', content: () => <GraphCheck name={name} /> },
          { name: 'times', title: 'Times', content: () => <GraphTimes name={name} /> },
        ]
      : []),
    { name: 'versions', title: 'Versions', content: () => <GraphVersions name={name} /> },
    {
      name: 'definition',
      title: 'Definition',
      content: () => (
        <LiveContent live={live}>
          {(definition) => <JsonTree label="Definition" value={definition} searches />}
        </LiveContent>
      ),
    },
  ];
  if (live.problem.value?.status === 404)
    return <NoRecord what="graph" by="name" id={name} list={{ path: '/ui/graphs', title: 'All graphs' }} />;
  return (
    <>
      <Heading>{name}</Heading>
      <LiveContent live={live}>
        {(definition) => <GraphHeader name={name} hash={hash} definition={definition} saved={onSaved} />}
      </LiveContent>
      {/* Another definition is drawn and checked anew. */}
      <Tabs key={edition.value} label={name} tabs={tabs} />
    </>
  );
}

interface GraphHeaderProps {
  name: string;
  /** Hash of an older version; undefined: the current one. */
  hash: string | undefined;
  definition: object;
  saved: () => void;
}

function GraphHeader({ name, hash, definition, saved }: GraphHeaderProps) {
  const { title, file } = graphSummaryOf(definition);
  return (
    <>
      <p>
        {title}, {file === null ? 'put through the API or of a pack' : <>from the file {<code>{file}</code>}</>}
        {hash !== undefined && (
          <>
            {' '}
            – version <CopyableText text={hash} short={12} />;{' '}
            <a href={`/ui/graphs/${encodeURIComponent(name)}`}>the current one</a>
          </>
        )}
      </p>
      {hash === undefined && (
        <div class="actions">
          <LaunchButton title={`Launch ${name}`} kind="main" graph={name}>
            Launch
          </LaunchButton>
          <LinkNeedingRight href={`/ui/simulator?${new URLSearchParams({ graph: name })}`}>Simulate</LinkNeedingRight>
          <a class="button" href={`/ui/workflows?${new URLSearchParams({ graph: name })}`}>
            Its workflows
          </a>
          {file === null && (
            <NeedsRight group="library" method="PUT">
              <Changes name={name} definition={definition} saved={saved} />
            </NeedsRight>
          )}
        </div>
      )}
    </>
  );
}

function Changes({ name, definition, saved }: Omit<GraphHeaderProps, 'hash'>) {
  const { route } = useLocation();
  const isEdited = useSignal(false);
  const close = () => {
    isEdited.value = false;
  };
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isEdited.value = true;
        }}
      >
        Change
      </button>
      <RemoveButton
        what={`graph ${name}`}
        run={() => client.remove('/workflows/graphs/:name', { params: { name } }).then(() => route('/ui/graphs'))}
      >
        <p>Active workflows keep their version, and continue. The graph cannot be launched any more.</p>
      </RemoveButton>
      {isEdited.value && (
        <Dialog title={`Change ${name}`} close={close}>
          <GraphEditor
            definition={definition}
            done={(put) => {
              close();
              if (put === name) saved();
              else route(`/ui/graphs/${encodeURIComponent(put)}`);
            }}
          />
        </Dialog>
      )}
    </>
  );
}
