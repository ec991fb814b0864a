/** The drives of a node as check boxes, each with the methods that its protocol has. */
import { sizeText } from '../../../client/size-text.ts';
import { client } from '../../data/daemon-client.ts';
import {
  drivesIn,
  erasedDrivesIn,
  type ListedDrive,
  type MethodChoice,
  methodsFor,
  settingOf,
} from '../../data/erased-drives.ts';
import { useLive } from '../../data/live.ts';
import { DataTable } from '../data-table.tsx';
import { inShort } from '../in-short.ts';

interface DriveChoiceProps {
  node: string;
  methods: readonly MethodChoice[];
  /** The setting as JSON; '': none. */
  setting: string;
  enter: (setting: string) => void;
}

export function DriveChoice({ node, methods, setting, enter }: DriveChoiceProps) {
  const { value } = useLive(`drives of ${node}`, () => readDrives(node));
  const drives = value.value ?? [];
  const erased = erasedDrivesIn(setting, drives, methods);
  if (drives.length === 0 || erased === undefined) return null;
  const change = (drive: ListedDrive, method: MethodChoice | undefined) => {
    const changed = new Map(erased);
    if (method === undefined) changed.delete(drive.key);
    else changed.set(drive.key, method);
    enter(settingOf(changed));
  };
  return (
    <DataTable
      label="Drives to erase"
      rows={drives}
      keyOf={({ key }) => key}
      empty=""
      columns={[
        {
          title: 'erase',
          cell: (drive) => (
            <input
              type="checkbox"
              aria-label={`Erase ${drive.device}`}
              checked={erased.has(drive.key)}
              onChange={({ currentTarget: { checked } }) =>
                change(drive, checked ? methodsFor(drive, methods)[0] : undefined)
              }
            />
          ),
        },
        { title: 'drive', cell: ({ device }) => device },
        { title: 'model', cell: ({ model }) => inShort(model) },
        { title: 'serial number', cell: ({ serial }) => <code>{inShort(serial)}</code> },
        { title: 'size', isNumber: true, cell: ({ bytes }) => bytes !== null && sizeText(bytes) },
        {
          title: 'method',
          cell: (drive) => (
            <select
              aria-label={`Method for ${drive.device}`}
              disabled={!erased.has(drive.key)}
              value={erased.get(drive.key)?.key ?? ''}
              onChange={({ currentTarget }) =>
                change(
                  drive,
                  methods.find(({ key }) => key === currentTarget.value),
                )
              }
            >
              {!erased.has(drive.key) && <option value="">not erased</option>}
              {methodsFor(drive, methods).map(({ key, title }) => (
                <option key={key} value={key}>
                  {title}
                </option>
              ))}
            </select>
          ),
        },
      ]}
    />
  );
}

/** Without a catalog the option is entered as JSON. */
async function readDrives(node: string): Promise<ListedDrive[]> {
  const params = { identifier: node, source: 'driveId' };
  const answer = await client.get('/nodes/:identifier/catalogs/:source', { params }).catch(() => undefined);
  return drivesIn(answer?.body.data);
}
