/** The graphs that can be launched, in the groups in which an operator looks for them; the ones launched last come first. */
export interface ListedGraph {
  name: string;
  title: string;
}

export interface GraphGroup {
  title: string;
  graphs: readonly ListedGraph[];
}

/** The graphs of the package. All others are the user's own. */
const groups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Power', ['PowerOn.Node', 'PowerOff.Node', 'Reset.Node', 'Reboot.Node', 'IdentifyOn.Node', 'IdentifyOff.Node']],
  ['Erase', ['Drive.SecureErase']],
  [
    'Install',
    [
      'InstallUbuntu',
      'InstallDebian',
      'InstallRHEL',
      'InstallCentOS',
      'InstallESXi',
      'InstallOs.Image',
      'VirtualMedia.Boot',
      'VirtualMedia.Eject',
      'Demo.InstallOs',
    ],
  ],
  ['Firmware and BIOS', ['Firmware.Update', 'Firmware.Update.InBand', 'Bios.Configure', 'Baseline.Apply']],
  ['RAID', ['Raid.Plan', 'Raid.Configure', 'Raid.Clear', 'Raid.Plan.InBand', 'Raid.Configure.InBand']],
  [
    'Discovery and tests',
    [
      'SKU.Discovery',
      'Reboot.Discovery',
      'Redfish.Catalog',
      'Redfish.Discovery',
      'Snmp.Discovery',
      'Switch.ZeroTouch',
      'BurnIn',
      'Node.Commission',
      'noop-example',
    ],
  ],
  [
    'BMC and alerts',
    [
      'Bmc.CreateAccount',
      'Bmc.RotatePassword',
      'Bmc.Reset',
      'Obm.Ipmi.CreateSettings',
      'Redfish.Alert.Subscribe',
      'Dell.Configure.Redfish.Alerting',
    ],
  ],
];

const RECENT = 'Recent';
const YOURS = 'Yours';

const places: ReadonlyMap<string, { title: string; at: number }> = new Map(
  groups.flatMap(([title, names]) => names.map((name, at) => [`Graph.${name}`, { title, at }] as const)),
);

const groupOf = (name: string): string => places.get(name)?.title ?? YOURS;

/**
 * @param recent names of the graphs launched last, the newest first
 * @param search words, each of which a graph has in its title, its name or its group
 * @returns groups that have graphs
 */
export function groupedGraphs(
  graphs: readonly ListedGraph[],
  recent: readonly string[],
  search: string,
): readonly GraphGroup[] {
  const words = search.toLowerCase().split(/\s+/);
  const matching = graphs.filter(({ name, title }) => {
    const text = `${title} ${name} ${groupOf(name)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const last = recent.flatMap((name) => matching.filter((graph) => graph.name === name));
  const others = matching.filter((graph) => !last.includes(graph));
  const titles = [...groups.map(([title]) => title), YOURS];
  const placeOf = ({ name }: ListedGraph) => places.get(name)?.at ?? 0;
  const sorted = titles.map((title) => ({
    title,
    graphs: others
      .filter(({ name }) => groupOf(name) === title)
      .toSorted((a, b) => placeOf(a) - placeOf(b) || a.title.localeCompare(b.title)),
  }));
  return [{ title: RECENT, graphs: last }, ...sorted].filter((group) => group.graphs.length > 0);
}
