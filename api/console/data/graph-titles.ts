/** The titles of graphs. Some of the package have a friendly name that is fixed by the interface of RackHD, and is no title. */
const titles: ReadonlyMap<string, string> = new Map([
  ['Graph.PowerOn.Node', 'Power on'],
  ['Graph.PowerOff.Node', 'Power off'],
  ['Graph.Reset.Node', 'Reset'],
  ['Graph.Reboot.Node', 'Reboot'],
  ['Graph.IdentifyOn.Node', 'Identify light on'],
  ['Graph.IdentifyOff.Node', 'Identify light off'],
  ['Graph.noop-example', 'Do nothing (example)'],
]);

export const graphTitle = (name: string, friendlyName: string): string => titles.get(name) ?? friendlyName;
