/** The catalogs of a node: one of each source, and the earlier ones that are kept. The address has the source and the id. */
import { useLocation } from 'preact-iso';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { useOfNode } from '../../data/node-records.ts';
import { dateTime } from '../../data/shown-times.ts';
import { CopyableText } from '../../parts/copyable.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { Ago, Time } from '../../parts/time.tsx';

const SOURCES = 1_000;
const VERSIONS = 100;

export function NodeCatalogs({ id }: { id: string }) {
  const { path, query, route } = useLocation();
  const read = async () => {
    const parts = { params: { identifier: id }, query: { fields: 'source,updatedAt', sort: 'source', $top: SOURCES } };
    return (await client.get('/nodes/:identifier/catalogs', parts)).body;
  };
  const live = useOfNode('catalogs', id, read);
  const show = (source: string) => route(`${path}?${new URLSearchParams({ tab: 'catalogs', source })}`, true);
  return (
    <LiveContent live={live}>
      {(catalogs) => {
        const source = catalogs.find((one) => one.source === query.source)?.source ?? catalogs[0]?.source;
        if (source === undefined) return <p class="quiet">The node has no catalogs: it was not discovered yet.</p>;
        return (
          <>
            <label class="source">
              Source{' '}
              <select value={source} onChange={({ currentTarget }) => show(currentTarget.value)}>
                {catalogs.map((one) => (
                  <option key={one.source} value={one.source}>
                    {one.source}
                  </option>
                ))}
              </select>{' '}
              <span class="quiet">{countText(catalogs.length, 'source')}</span>
            </label>
            <CatalogOfSource key={source} id={id} source={source} />
          </>
        );
      }}
    </LiveContent>
  );
}

function CatalogOfSource({ id, source }: { id: string; source: string }) {
  const { path, query, route } = useLocation();
  const { catalog } = query;
  const readVersions = async () => {
    const parts = { query: { node: id, source, fields: 'source,createdAt', $top: VERSIONS } };
    // A comma in the name of a source also means several.
    return (await client.get('/catalogs', parts)).body.filter((one) => one.source === source);
  };
  const versions = useOfNode(`versions ${source}`, id, readVersions);
  const show = (version: string) => {
    const given = { tab: 'catalogs', source, ...(version !== '' && { catalog: version }) };
    route(`${path}?${new URLSearchParams(given)}`, true);
  };
  const versionList = versions.value.value ?? [];
  return (
    <>
      {versionList.length > 1 && (
        <label class="source">
          Version{' '}
          <select value={catalog ?? ''} onChange={({ currentTarget }) => show(currentTarget.value)}>
            {versionList.map((one, index) => (
              <option key={one.id} value={index === 0 ? '' : one.id}>
                {dateTime(Date.parse(one.createdAt))}
                {index === 0 ? ' (newest)' : ''}
              </option>
            ))}
          </select>
        </label>
      )}
      <CatalogData key={catalog ?? ''} id={id} source={source} catalog={catalog} />
    </>
  );
}

interface CatalogDataProps {
  id: string;
  source: string;
  /** Absent: the newest. */
  catalog: string | undefined;
}

function CatalogData({ id, source, catalog }: CatalogDataProps) {
  const read = async () => {
    if (catalog !== undefined) return (await client.get('/catalogs/:id', { params: { id: catalog } })).body;
    return (await client.get('/nodes/:identifier/catalogs/:source', { params: { identifier: id, source } })).body;
  };
  // Data never change: another catalog has another id.
  const live = useLive(`catalog ${id} ${source} ${catalog}`, read);
  return (
    <LiveContent live={live}>
      {({ id: catalogId, data, knownBy, createdAt }) => (
        <>
          <p>
            <CopyableText text={catalogId} /> <Time at={createdAt} /> (<Ago at={createdAt} />
            ), {senders[knownBy]}
          </p>
          <JsonTree label={source} value={data} searches />
        </>
      )}
    </LiveContent>
  );
}

/** How the daemon knew that the catalog is of this node. */
const senders = {
  key: 'sent with the key of the node',
  address: 'sent from the address of the node',
  operator: 'sent by a user',
  nothing: 'sender not verified',
} as const;
