/** The changes of an exchange with NetBox, planned or made, as a row for each device. */
import { countsText, type OutputFormat, showList, type TableColumn } from '../output.ts';
import { colors, inform } from '../terminal.ts';
import type { PlannedDevice, PullPlan } from './pull-plan.ts';
import { stepText } from './pull-steps.ts';
import type { PlannedPush } from './push-plan.ts';

type SyncAction = 'create' | 'change' | 'skip' | 'none' | 'rejected';

export interface SyncRow {
  /** Where something changes. */
  side: 'nodewright' | 'netbox';
  action: SyncAction;
  name: string;
  /** Id of the device; null: it is a rack. */
  device: number | null;
  /** Id of the node; null: there is none yet. */
  node: string | null;
  changes: string[];
  /** Reasons of a skip or a rejection, and values that stay as they are. */
  remarks: string[];
}

export function pullRows({ devices, racks }: PullPlan, rejections: ReadonlyMap<PlannedDevice, string> = new Map()) {
  const rackRows = racks.map(
    ({ id, name, node }): SyncRow => ({
      side: 'nodewright',
      action: node === undefined ? 'create' : 'change',
      name,
      device: null,
      node: node?.id ?? null,
      changes: [node === undefined ? 'a node of the type rack' : `identifiers + netbox-rack-${id}`],
      remarks: [],
    }),
  );
  const deviceRows = devices.map((planned): SyncRow => {
    const { device, node, steps, remarks } = planned;
    const rejection = rejections.get(planned);
    return {
      side: 'nodewright',
      action: rejection === undefined ? planned.action : 'rejected',
      name: device.name,
      device: device.id,
      node: node?.id ?? null,
      changes: steps.map(stepText),
      remarks: rejection === undefined ? remarks : [rejection, ...remarks],
    };
  });
  return [...rackRows, ...deviceRows];
}

export const pushRows = (planned: readonly PlannedPush[], rejections: ReadonlyMap<PlannedPush, string> = new Map()) =>
  planned.map((one): SyncRow => {
    const rejection = rejections.get(one);
    return {
      side: 'netbox',
      action: rejection === undefined ? one.action : 'rejected',
      name: one.node.name,
      device: one.device,
      node: one.node.id,
      changes: Object.entries(one.changes).map(([name, value]) => `${name}: ${value ?? 'none'}`),
      remarks: rejection === undefined ? one.remarks : [rejection],
    };
  });

const paints: Readonly<Record<SyncAction, (text: string) => string>> = {
  create: colors.green,
  change: colors.green,
  skip: colors.yellow,
  none: colors.dim,
  rejected: colors.red,
};

const columns: TableColumn<SyncRow>[] = [
  { title: 'changes in', value: ({ side }) => side },
  { title: 'action', value: ({ action }) => action, paint: (text, { action }) => paints[action](text) },
  { title: 'name', value: ({ name }) => name },
  { title: 'details', value: ({ changes, remarks }) => [...changes, ...remarks].join('; ') },
  { title: 'device', value: ({ device }) => device, wide: true },
  { title: 'node', value: ({ node }) => node, wide: true },
];

/** Shows every row as JSON; as a table, those with details, and counts of all. @returns the number of rejected ones */
export function showSync(rows: readonly SyncRow[], format: OutputFormat): number {
  const isTable = format === 'table';
  const isShown = ({ action, remarks }: SyncRow) => action !== 'none' || remarks.length > 0;
  showList(isTable ? rows.filter(isShown) : rows, columns, format);
  for (const side of ['nodewright', 'netbox']) {
    const ofSide = rows.filter((row) => row.side === side);
    const counts: Record<string, number> = {};
    for (const { action } of ofSide) counts[action] = (counts[action] ?? 0) + 1;
    if (ofSide.length > 0) inform(`${side}: ${countsText(counts)}`);
  }
  return rows.filter(({ action }) => action === 'rejected').length;
}
