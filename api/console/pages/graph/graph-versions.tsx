/** The versions of a graph, and the difference of two of them. */
import { useSignal } from '@preact/signals';
import { type GraphVersionRecord, newestVersions } from '../../../client/graph-difference.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { CopyableText } from '../../parts/copyable.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { Ago } from '../../parts/time.tsx';
import { VersionDifference } from './version-difference.tsx';

const MAX_VERSIONS = 200;

export function GraphVersions({ name }: { name: string }) {
  const live = useLive(`versions ${name}`, () =>
    client.get('/workflows/graphs/:name/versions', { params: { name }, query: { $top: MAX_VERSIONS } }),
  );
  return (
    <LiveContent live={live}>
      {({ body, total = 0 }) => (
        <>
          {total > body.length && (
            <p class="quiet">
              The newest {body.length} of {total} versions
            </p>
          )}
          <VersionChoice name={name} versions={body} />
        </>
      )}
    </LiveContent>
  );
}

function VersionChoice({ name, versions }: { name: string; versions: readonly GraphVersionRecord[] }) {
  const newest = newestVersions(versions);
  const older = useSignal(newest.old ?? versions.at(-1)?.hash);
  const newer = useSignal(newest.new);
  const isPair = older.value !== undefined && newer.value !== undefined && older.value !== newer.value;
  const choice = (version: GraphVersionRecord, chosen: typeof older, title: string) => (
    <input
      type="radio"
      name={title}
      aria-label={`${title}: ${version.hash.slice(0, 12)}`}
      checked={chosen.value === version.hash}
      onChange={() => {
        chosen.value = version.hash;
      }}
    />
  );
  return (
    <>
      <DataTable
        label="Versions"
        rows={versions}
        keyOf={({ hash }) => hash}
        empty="No version is kept."
        columns={[
          { title: 'old', cell: (version) => choice(version, older, 'old') },
          { title: 'new', cell: (version) => choice(version, newer, 'new') },
          { title: 'version', cell: ({ hash }) => <CopyableText text={hash} short={12} /> },
          { title: 'first served', cell: ({ createdAt }) => <Ago at={createdAt} /> },
          { title: 'file', cell: ({ file }) => file ?? '' },
          { title: 'quarantined', cell: ({ quarantine }) => quarantine && <Ago at={quarantine.since} /> },
          {
            title: 'use',
            cell: ({ hash, isCurrent }) =>
              isCurrent ? (
                'current'
              ) : (
                <a href={`/ui/graphs/${encodeURIComponent(name)}?hash=${encodeURIComponent(hash)}`}>show</a>
              ),
          },
        ]}
      />
      {versions.length < 2 && <p class="quiet">There is only one version.</p>}
      {isPair && <VersionDifference name={name} old={older.value ?? ''} new={newer.value ?? ''} />}
    </>
  );
}
