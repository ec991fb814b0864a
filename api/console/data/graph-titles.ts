/** The titles of graphs. Some of the package have a friendly name that is fixed by the interface of RackHD, and is no title. */
const titles: Readonly<Record<string, string>> = {
  'Graph.PowerOn.Node': 'Power on',
  'Graph.PowerOff.Node': 'Power off',
  'Graph.Reset.Node': 'Reset',
  'Graph.Reboot.Node': 'Reboot',
  'Graph.IdentifyOn.Node': 'Identify light on',
  'Graph.IdentifyOff.Node': 'Identify light off',
  'Graph.noop-example': 'Do nothing (example)',
};

export const graphTitle = (name: string, friendlyName: string): string =>
  Object.hasOwn(titles, name) ? (titles[name] ?? friendlyName) : friendlyName;
