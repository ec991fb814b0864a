/** The drives of a node, or those that several nodes have by the same names, each with the methods that its protocol has. */
import type { ComponentChildren } from 'preact';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { MINUTE_MS } from '../../../../engine/vocabulary/units.ts';
import { sizeText } from '../../../client/size-text.ts';
import { client } from '../../data/daemon-client.ts';
import {
  drivesIn,
  type ErasedDrives,
  erasedDrivesIn,
  type ListedDrive,
  type MethodChoice,
  methodsFor,
  type SharedDrive,
  settingOf,
  sharedDrives,
} from '../../data/erased-drives.ts';
import { inTurns } from '../../data/in-turns.ts';
import type { LaunchNode } from '../../data/launch-node.ts';
import { useLive } from '../../data/live.ts';
import { NODES_PLANNED } from '../../data/plan-data.ts';
import { inShort } from '../in-short.ts';

interface DriveBoxesProps {
  nodes: readonly LaunchNode[];
  methods: readonly MethodChoice[];
  /** The setting as JSON; '': none. */
  setting: string;
  enter: (setting: string) => void;
  /** The field for a setting that check boxes cannot show. */
  children: ComponentChildren;
}

export function DriveBoxes({ nodes, methods, setting, enter, children }: DriveBoxesProps) {
  const ids = nodes.slice(0, NODES_PLANNED).map(({ id }) => id);
  // A drive is not changed while a form is filled in.
  const live = useLive(`drives of ${ids.join()}`, () => readDrives(ids), undefined, 10 * MINUTE_MS);
  const drives = live.value.value;
  if (drives === undefined) return <p class="quiet">Loading the drives</p>;
  const erased = erasedDrivesIn(setting, drives, methods);
  if (drives.length === 0 || erased === undefined) return children;
  const change = (changes: readonly (readonly [drive: ListedDrive, method: MethodChoice | undefined])[]) => {
    const changed = new Map(erased);
    for (const [{ key }, method] of changes) {
      if (method === undefined) changed.delete(key);
      else changed.set(key, method);
    }
    enter(settingOf(changed));
  };
  const usualMethod = (drive: ListedDrive) => erased.get(drive.key) ?? methodsFor(drive, methods)[0];
  return (
    <>
      <ul class="drives">
        {drives.map((drive) => (
          <li key={drive.key}>
            <label>
              <input
                type="checkbox"
                aria-label={`Erase ${drive.device}`}
                checked={erased.has(drive.key)}
                onChange={({ currentTarget: { checked } }) =>
                  change([[drive, checked ? usualMethod(drive) : undefined]])
                }
              />
              <DriveWords drive={drive} count={nodes.length} />
            </label>
            <MethodSelect
              drive={drive}
              methods={methods}
              erased={erased}
              choose={(method) => change([[drive, method]])}
            />
          </li>
        ))}
      </ul>
      <p class="actions">
        <button type="button" onClick={() => change(drives.map((drive) => [drive, usualMethod(drive)]))}>
          Choose all
        </button>
        {erased.size > 0 && (
          <button type="button" onClick={() => enter('')}>
            Choose none
          </button>
        )}
        <span class="quiet">
          {erased.size} of {countText(drives.length, 'drive')}
          {nodes.length > ids.length && `, by the first ${ids.length} nodes`}
        </span>
      </p>
    </>
  );
}

function DriveWords({ drive, count }: { drive: SharedDrive; count: number }) {
  const { device, model, serial, bytes, nodes } = drive;
  return (
    <>
      <strong>{device}</strong> <span>{inShort(model)}</span>{' '}
      {count > 1 ? (
        <span class="quiet">
          on {nodes} of {countText(count, 'node')}
        </span>
      ) : (
        <code>{inShort(serial)}</code>
      )}{' '}
      <span class="number">{bytes !== null && sizeText(bytes)}</span>
    </>
  );
}

interface MethodSelectProps {
  drive: ListedDrive;
  methods: readonly MethodChoice[];
  erased: ErasedDrives;
  choose: (method: MethodChoice | undefined) => void;
}

function MethodSelect({ drive, methods, erased, choose }: MethodSelectProps) {
  const method = erased.get(drive.key);
  if (method === undefined) return null;
  return (
    <select
      aria-label={`Method for ${drive.device}`}
      value={method.key}
      onChange={({ currentTarget }) => choose(methods.find(({ key }) => key === currentTarget.value))}
    >
      {methodsFor(drive, methods).map(({ key, title }) => (
        <option key={key} value={key}>
          {title}
        </option>
      ))}
    </select>
  );
}

/** @returns none if no node has the catalog */
async function readDrives(ids: readonly string[]): Promise<SharedDrive[]> {
  const lists = await inTurns(ids, async (identifier) => {
    const params = { identifier, source: 'driveId' };
    const answer = await client.get('/nodes/:identifier/catalogs/:source', { params }).catch(() => undefined);
    return drivesIn(answer?.body.data);
  });
  const [only] = lists;
  return lists.length === 1 && only !== undefined ? only.map((drive) => ({ ...drive, nodes: 1 })) : sharedDrives(lists);
}
