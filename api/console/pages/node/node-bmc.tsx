/** The access to the BMC of a node, the state of that BMC, and the addresses of the node. */
import { may } from '../../data/current-user.ts';
import { client } from '../../data/daemon-client.ts';
import { type ShownNode, useOfNode } from '../../data/node-records.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { BmcTable } from '../../parts/bmc-table.tsx';
import { CopyableText } from '../../parts/copyable.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { Ago } from '../../parts/time.tsx';
import { ObmForm } from './obm-form.tsx';

export function NodeBmc({ node: { id } }: { node: ShownNode }) {
  const read = async () => (await client.get('/nodes/:identifier/obm', { params: { identifier: id } })).body;
  const live = useOfNode('obms', id, read);
  const remove = async (obm: string) => {
    await client.remove('/obms/:id', { params: { id: obm } });
    live.reload();
  };
  return (
    <>
      <h2>Access</h2>
      <LiveContent live={live}>
        {(obms) => (
          <>
            <DataTable
              label="Access to the BMC"
              rows={obms}
              keyOf={(one) => one.id}
              empty="No access to a BMC is set up, so the power of the node cannot be switched."
              columns={[
                { title: 'service', cell: ({ service }) => service },
                { title: 'host', cell: ({ config }) => textOf(config.host ?? config.uri ?? outletsText(config)) },
                { title: 'user', cell: ({ config }) => textOf(config.user ?? config.username) },
                { title: 'changed', cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
                {
                  title: 'actions',
                  cell: (one) => (
                    <NeedsRight owner={null}>
                      <ActionButton kind="danger" run={() => remove(one.id)}>
                        Delete
                      </ActionButton>
                    </NeedsRight>
                  ),
                },
              ]}
            />
            <NeedsRight owner={null}>
              <ObmForm id={id} reload={live.reload} />
            </NeedsRight>
            <Bmcs id={id} hosts={[...new Set(obms.flatMap(({ config }) => hostsOf(config)))]} />
          </>
        )}
      </LiveContent>
      {may('general') && <Addresses id={id} />}
    </>
  );
}

const textOf = (value: unknown) => (value === undefined ? <span class="quiet">none</span> : String(value));

interface Outlet {
  host: string;
  outlet: string | number;
}

/** The outlets of PDUs that an access switches. */
const outletsOf = ({ outlets }: Record<string, unknown>) => (Array.isArray(outlets) ? (outlets as Outlet[]) : []);

const outletsText = (config: Record<string, unknown>) =>
  outletsOf(config)
    .map(({ host, outlet }) => `${host}, outlet ${outlet}`)
    .join('; ') || undefined;

/** The hosts, also from an address such as https://10.1.1.2/redfish. */
function hostsOf(config: Record<string, unknown>): string[] {
  const { host, uri } = config;
  const pdus = outletsOf(config).map((outlet) => outlet.host.toLowerCase());
  if (pdus.length > 0) return pdus;
  if (typeof host === 'string') return [host];
  if (typeof uri !== 'string' || !URL.canParse(uri)) return [];
  return [new URL(uri).hostname];
}

function Bmcs({ id, hosts }: { id: string; hosts: readonly string[] }) {
  const read = async () =>
    hosts.length === 0 ? [] : (await client.get('/bmcs', { query: { host: hosts.join(',') } })).body;
  const live = useOfNode(`bmcs ${hosts.join(' ')}`, id, read);
  const closeCircuit = async (bmc: string) => {
    await client.remove('/bmcs/:id/circuit', { params: { id: bmc } });
    live.reload();
  };
  return (
    <>
      <h2>BMC</h2>
      <LiveContent live={live}>
        {(bmcs) => <BmcTable bmcs={bmcs} closeCircuit={closeCircuit} hasNodes={false} />}
      </LiveContent>
    </>
  );
}

const ADDRESSES = 100;

function Addresses({ id }: { id: string }) {
  const read = async () => (await client.get('/lookups', { query: { node: id, $top: ADDRESSES } })).body;
  const live = useOfNode('lookups', id, read);
  return (
    <>
      <h2>Addresses</h2>
      <LiveContent live={live}>
        {(lookups) => (
          <DataTable
            label="Addresses"
            rows={lookups}
            keyOf={(one) => one.id}
            empty="No MAC or IP of the node is known."
            columns={[
              { title: 'MAC', cell: ({ macAddress }) => <CopyableText text={macAddress} short={20} /> },
              { title: 'IP', cell: ({ ipAddress }) => ipAddress && <CopyableText text={ipAddress} short={40} /> },
              { title: 'known from', cell: ({ source }) => source },
              { title: 'changed', cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
            ]}
          />
        )}
      </LiveContent>
    </>
  );
}
