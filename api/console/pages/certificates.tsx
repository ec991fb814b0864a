/** The certificates of erased drives: found by node, serial number and time, and kept longer than their workflows. */
import { useLocation, useRoute } from 'preact-iso';
import type { GetAnswer } from '../../client/requests.ts';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { useNodeList } from '../data/node-list.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Field } from '../parts/field.tsx';
import { fieldText } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { NodeLink } from '../parts/links.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { Ago } from '../parts/time.tsx';
import { ArchiveButton } from './certificates/archive-button.tsx';

type Certificate = GetAnswer<'/certificates'>[number];

const MOST_SHOWN = 200;

export function CertificatesPage() {
  useNodeList();
  const { query } = useRoute();
  const { route } = useLocation();
  const { serial, rollout } = query;
  const filter = { ...(serial !== undefined && { serial }), ...(rollout !== undefined && { rollout }) };
  const live = useLive(
    `certificates ${JSON.stringify(filter)}`,
    () => client.get('/certificates', { query: { sort: '-issuedAt', $top: MOST_SHOWN, ...filter } }),
    ({ type, action }) => type === 'graph' && action === 'finished',
  );
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = fieldText(new FormData(event.currentTarget as HTMLFormElement), 'serial');
    route(wanted === undefined ? '/ui/certificates' : `/ui/certificates?${new URLSearchParams({ serial: wanted })}`);
  };
  return (
    <>
      <Heading>Certificates</Heading>
      <p>Each workflow that erases drives ends with one. It is kept when the workflow is deleted.</p>
      {rollout !== undefined && (
        <p>
          Those of <a href={`/ui/rollouts/${encodeURIComponent(rollout)}`}>one rollout</a>.{' '}
          <a href="/ui/certificates">All certificates</a>
        </p>
      )}
      <form class="actions" onSubmit={search}>
        <Field label="Serial number of a drive">
          <input name="serial" type="search" defaultValue={serial ?? ''} />
        </Field>
        <button type="submit">Search</button>
      </form>
      <LiveContent live={live}>
        {({ body, total }) => (
          <>
            {body.length > 0 && (
              <div class="actions">
                <ArchiveButton filter={filter} count={total ?? body.length} />
              </div>
            )}
            <CertificateTable certificates={body} isSearched={serial !== undefined} />
            {total !== undefined && total > body.length && (
              <p class="quiet">
                The newest {body.length} of {total}.
              </p>
            )}
          </>
        )}
      </LiveContent>
    </>
  );
}

function CertificateTable({ certificates, isSearched }: { certificates: readonly Certificate[]; isSearched: boolean }) {
  return (
    <DataTable
      label="Certificates"
      rows={certificates}
      keyOf={({ workflow }) => workflow}
      empty={isSearched ? 'No certificate names a drive with this serial number.' : 'No drive was erased yet.'}
      columns={[
        {
          title: 'certificate',
          cell: ({ workflow }) => <a href={`/ui/certificates/${encodeURIComponent(workflow)}`}>Open</a>,
        },
        { title: 'issued', cell: ({ issuedAt }) => <Ago at={issuedAt} /> },
        { title: 'node', cell: ({ node, name }) => (name === null ? <NodeLink id={node} /> : name) },
        { title: 'drives', cell: ({ drives }) => <DriveLines drives={drives} /> },
        { title: 'result', cell: ({ sanitized }) => (sanitized ? 'all sanitized' : 'not all sanitized') },
        { title: 'graph', cell: ({ graph }) => graph },
        { title: 'by', cell: ({ operator }) => operator ?? <span class="quiet">unknown</span> },
      ]}
    />
  );
}

function DriveLines({ drives }: Pick<Certificate, 'drives'>) {
  return (
    <>
      {drives.map(({ devName, serial, level, result }) => (
        <div key={devName}>
          {devName} <code>{serial || 'unknown'}</code> {level ?? result}
        </div>
      ))}
    </>
  );
}
