/** The machine itself, as its catalogs describe it: what one would look for in front of the rack. */
import {
  biosText,
  driveKindText,
  drivesText,
  modelText,
  processorsText,
  type ShownHardware,
} from '../../../client/hardware-texts.ts';
import { memoryText, sizeText } from '../../../client/size-text.ts';
import { client } from '../../data/daemon-client.ts';
import { containerOf, unitOf } from '../../data/node-place.ts';
import { type ShownNode, useOfNode } from '../../data/node-records.ts';
import { CopyableText } from '../../parts/copyable.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Fact } from '../../parts/fact.tsx';
import { inShort } from '../../parts/in-short.ts';
import { NodeLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { PowerFact } from './power-fact.tsx';

export function NodeMachine({ node }: { node: ShownNode }) {
  const { id, type, catalogs, obms } = node;
  const read = async () => (await client.get('/nodes/:identifier/hardware', { params: { identifier: id } })).body;
  const live = useOfNode('hardware', id, read);
  if (type !== 'compute' && catalogs.length === 0 && obms.length === 0) return null;
  return (
    <section class="machine" aria-label="Machine">
      <LiveContent live={live}>{(hardware) => <Machine node={node} hardware={hardware} />}</LiveContent>
    </section>
  );
}

function Machine({ node, hardware }: { node: ShownNode; hardware: ShownHardware }) {
  const { serial, memoryBytes, bmc, catalogs } = hardware;
  const container = containerOf(node);
  const unit = unitOf(node);
  const texts: [name: string, text: string][] = [
    ['Model', modelText(hardware)],
    ['BIOS', biosText(hardware)],
    ['Processors', processorsText(hardware)],
    ['Memory', memoryBytes === null ? '' : memoryText(memoryBytes)],
  ];
  return (
    <>
      <dl class="facts">
        {texts.map(
          ([name, text]) =>
            text !== '' && (
              <Fact key={name} name={name}>
                {inShort(text)}
              </Fact>
            ),
        )}
        {serial !== null && (
          <Fact name="Serial number">
            <CopyableText text={serial} short={40} />
          </Fact>
        )}
        <PowerFact node={node} />
        {container !== undefined && (
          <Fact name="Place">
            <NodeLink id={container} />
            {unit !== undefined && `, ${unit}`}
          </Fact>
        )}
        {bmc !== null && (
          <Fact name="BMC">
            <BmcLink bmc={bmc} />
          </Fact>
        )}
      </dl>
      {catalogs.length === 0 && node.type === 'compute' && (
        <p class="quiet">
          No catalog describes the machine yet: discover it, or read its BMC by Graph.Redfish.Discovery.
        </p>
      )}
      <Drives hardware={hardware} />
      <Interfaces hardware={hardware} />
    </>
  );
}

function BmcLink({ bmc: { address, firmware } }: { bmc: NonNullable<ShownHardware['bmc']> }) {
  return (
    <>
      {address !== null && (
        <a href={`https://${address.includes(':') ? `[${address}]` : address}/`} rel="noreferrer" target="_blank">
          {address}
        </a>
      )}
      {firmware !== null && <span class="quiet"> firmware {firmware}</span>}
    </>
  );
}

function Drives({ hardware }: { hardware: ShownHardware }) {
  const { drives } = hardware;
  if (drives.length === 0) return null;
  return (
    <details>
      <summary>
        {drives.length} {drives.length === 1 ? 'drive' : 'drives'}: {drivesText(hardware)}
      </summary>
      <DataTable
        label="Drives"
        rows={drives}
        keyOf={({ name }) => name}
        empty=""
        columns={[
          { title: 'drive', cell: ({ name }) => name },
          { title: 'model', cell: ({ model }) => model },
          { title: 'serial number', cell: ({ serial }) => serial && <CopyableText text={serial} short={40} /> },
          { title: 'kind', cell: driveKindText },
          { title: 'size', isNumber: true, cell: ({ bytes }) => bytes !== null && sizeText(bytes) },
          { title: 'wear', isNumber: true, cell: ({ wearPercent }) => wearPercent !== null && `${wearPercent} %` },
          { title: 'health check', cell: ({ failing }) => failing !== null && (failing ? 'failing' : 'passed') },
        ]}
      />
    </details>
  );
}

function Interfaces({ hardware: { interfaces } }: { hardware: ShownHardware }) {
  if (interfaces.length === 0) return null;
  const linkedCount = interfaces.filter((one) => one.switch !== null).length;
  return (
    <details>
      <summary>
        {interfaces.length} network {interfaces.length === 1 ? 'interface' : 'interfaces'}
        {linkedCount > 0 && `, ${linkedCount} with a switch`}
      </summary>
      <DataTable
        label="Network interfaces"
        rows={interfaces}
        keyOf={({ name }) => name}
        empty=""
        columns={[
          { title: 'interface', cell: ({ name }) => name },
          { title: 'MAC', cell: ({ mac }) => mac && <CopyableText text={mac} short={20} /> },
          { title: 'switch', cell: (one) => one.switch },
          { title: 'port', cell: ({ port }) => port },
          { title: 'firmware', cell: ({ firmware }) => firmware },
        ]}
      />
    </details>
  );
}
