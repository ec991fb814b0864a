/** Entries of the audit log, in words, with links to what they changed. */
import type { ComponentChildren } from 'preact';
import { auditTarget, auditWords } from '../../../client/audit-words.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { resultText } from '../../data/bulk-results.ts';
import { client } from '../../data/daemon-client.ts';
import { IDS_PER_REQUEST, idsInParts } from '../../data/ids-in-parts.ts';
import { useLive } from '../../data/live.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { NodeLink, WorkflowLink } from '../../parts/links.tsx';
import { ShortText } from '../../parts/short-text.tsx';
import { Ago } from '../../parts/time.tsx';

type Entry = GetAnswer<'/audit'>[number];

interface LaunchedWorkflow {
  injectableName: string;
  node: string | null;
}

/** The ids of records that entries have changed, as many as one request takes; undefined: none. */
function idsOf(wanted: string, entries: readonly Entry[]): string | undefined {
  const targets = entries.flatMap((entry) => auditTarget(entry) ?? []);
  const ids = new Set(targets.flatMap(({ kind, id }) => (kind === wanted ? [id] : [])));
  return idsInParts([...ids])[0]?.join(',');
}

/** Those that still exist. */
async function readWorkflows(entries: readonly Entry[]): Promise<ReadonlyMap<string, LaunchedWorkflow>> {
  const id = idsOf('workflows', entries);
  if (id === undefined) return new Map();
  const query = { id, fields: 'id,injectableName,node', $top: IDS_PER_REQUEST };
  const { body } = await client.get('/workflows', { query });
  return new Map(body.map((workflow) => [workflow.id, workflow]));
}

/** The results of actions on several workflows, by their ids. */
async function readResults(entries: readonly Entry[]): Promise<ReadonlyMap<string, string>> {
  const id = idsOf('actions', entries);
  if (id === undefined) return new Map();
  const { body } = await client.get('/workflows/actions', { query: { id, $top: IDS_PER_REQUEST } });
  return new Map(body.map((action) => [action.id, resultText(action)]));
}

export function AuditTable({ entries }: { entries: readonly Entry[] }) {
  const places = `${entries[0]?.seq ?? 0} ${entries.at(-1)?.seq ?? 0}`;
  const workflows = useLive(`audited workflows ${places}`, () => readWorkflows(entries)).value.value;
  const results = useLive(`audited actions ${places}`, () => readResults(entries)).value.value;
  return (
    <DataTable
      label="Entries of the audit log, newest first"
      rows={entries}
      keyOf={({ seq }) => String(seq)}
      empty="No entry matches the filters."
      columns={[
        { title: 'when', cell: ({ at }) => <Ago at={at} /> },
        { title: 'who', cell: ({ user }) => user ?? <span class="quiet">none</span> },
        {
          title: 'what',
          cell: (entry) => <span title={`${entry.method} ${entry.path}`}>{auditWords(entry)}</span>,
        },
        { title: 'of, or on', cell: (entry) => <Target entry={entry} workflows={workflows} results={results} /> },
        {
          title: 'answer',
          cell: ({ status }) => (status >= 400 ? <span class="tone failed">rejected, {status}</span> : 'done'),
        },
        { title: 'from', cell: ({ address }) => address },
        { title: 'note', cell: (entry) => <ShortText text={noteOf(entry)} /> },
        { title: 'no.', isNumber: true, cell: ({ seq }) => seq },
      ]}
    />
  );
}

/** The once tasks that were accepted, and the reason of an override. */
const noteOf = ({ acknowledged = [], overrideReason }: Entry): string =>
  [...(acknowledged.length > 0 ? [`may run again: ${acknowledged.join(', ')}`] : []), overrideReason ?? '']
    .filter(Boolean)
    .join('; ');

interface TargetProps {
  entry: Entry;
  /** undefined: they are not read yet. */
  workflows: ReadonlyMap<string, LaunchedWorkflow> | undefined;
  results: ReadonlyMap<string, string> | undefined;
}

/** Pages of records by their collection. */
const pages: Readonly<Record<string, (id: string) => string>> = {
  batches: (id) => `batches/${id}`,
  rollouts: (id) => `rollouts/${id}`,
  rehearsals: (id) => `rehearsals/${id}`,
  baselines: (id) => `baselines/${id}`,
  skus: (id) => `skus/${id}`,
  hooks: (id) => `hooks?tab=deliveries&hook=${id}`,
  graphs: (id) => `graphs/${id}`,
  failures: (id) => `failures?view=all&cause=${id}`,
};

function Target({ entry, workflows, results }: TargetProps): ComponentChildren {
  const target = auditTarget(entry);
  if (target === undefined) return null;
  const { kind, id } = target;
  if (kind === 'nodes') return <NodeLink id={id} />;
  const result = kind === 'actions' ? results?.get(id) : undefined;
  if (result !== undefined) return <ShortText text={result} most={120} />;
  if (kind === 'workflows') {
    const workflow = workflows?.get(id);
    if (workflow === undefined) return <WorkflowLink id={id} />;
    return (
      <>
        <WorkflowLink id={id} text={workflow.injectableName} />
        {workflow.node !== null && (
          <>
            {' '}
            on <NodeLink id={workflow.node} />
          </>
        )}
      </>
    );
  }
  const text = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id) ? id.slice(0, 8) : id;
  const page = pages[kind]?.(encodeURIComponent(id));
  return page === undefined ? <ShortText text={text} /> : <a href={`/ui/${page}`}>{text}</a>;
}
