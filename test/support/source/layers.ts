/** The layers of the engine, the highest first: a folder imports from itself and from later ones. README has the same list. */
export interface Layer {
  /** Names below `engine/`. Folders of one layer may import from each other. */
  places: readonly string[];
  about: string;
}

export const layers: readonly Layer[] = [
  {
    places: ['index.ts', 'engine.ts', 'authoring.ts'],
    about: 'entry points for the API and for authors; the assembly',
  },
  { places: ['open/'], about: 'opens the modules, and lists the calls against this order' },
  { places: ['transfer/'], about: 'export and import of records' },
  { places: ['backup/'], about: 'backups: made, verified, restored' },
  { places: ['audit/'], about: 'the audit log' },
  { places: ['users/'], about: 'users, roles, sessions' },
  { places: ['hooks/'], about: 'web hooks: deliveries and sending' },
  { places: ['batches/'], about: 'one graph on many nodes' },
  { places: ['diagnosis/'], about: 'why workflows do not continue; totals' },
  { places: ['nodes/'], about: 'nodes and their dependents, registration, discovery' },
  { places: ['southbound/'], about: 'boot keys, owners of addresses, quotas' },
  { places: ['pollers/'], about: 'polling of event logs' },
  { places: ['agents/'], about: 'commands and output of agents, long polls' },
  { places: ['workflows/'], about: 'launches, notifications, definitions, certificates' },
  { places: ['files/', 'packs/', 'skus/'], about: 'files for nodes, packs, SKUs and their rules' },
  { places: ['runtime/'], about: 'side effects: send, save, run effects, sweep' },
  { places: ['obm/'], about: 'power of nodes: IPMI, Redfish, circuit breakers' },
  { places: ['outbox/'], about: 'events that are saved with a change, and tombstones' },
  { places: ['event-log/'], about: 'the log of events, and its readers' },
  { places: ['events/'], about: 'the outbox to the broker' },
  { places: ['cluster/'], about: 'membership and leases' },
  { places: ['watchdog/'], about: 'code that blocks or ends the process' },
  { places: ['telemetry/'], about: 'traces by OpenTelemetry' },
  { places: ['api-port/'], about: 'the interfaces that the API sees' },
  { places: ['secrets/'], about: 'encryption, keys, signatures' },
  { places: ['config/'], about: 'the configuration' },
  { places: ['live/'], about: 'rows that move: a port and its adapters' },
  { places: ['queue/'], about: 'jobs: a port and its adapters' },
  { places: ['simulate/'], about: "the author's kit: graphs explored, simulated, tested" },
  { places: ['step/'], about: 'pure computation of steps' },
  { places: ['library/'], about: 'definitions, options, templates, versions' },
  { places: ['patterns/'], about: 'user-supplied patterns in linear time' },
  { places: ['store/'], about: 'documents: a port and its adapters' },
  { places: ['validation/'], about: 'validation against JSON Schemas' },
  { places: ['lib/'], about: 'general code; imports nothing of ours' },
  { places: ['actors/'], about: 'the machines and their messages' },
  {
    places: ['erase/', 'install/', 'redfish/', 'rest/'],
    about: 'shared by shipped tasks: drives, installers, Redfish, REST',
  },
  { places: ['define/'], about: 'the authoring kit and shared words' },
];

/** As Markdown, for `engine/README.md`. */
export function layersTable(): string {
  const rows = layers.map(({ places, about }) => [places.map((place) => `\`${place}\``).join(', '), about]);
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(width(column), fill)).join(' | ')} |`;
  return [line(['', '']), line(['-', '-'], '-'), ...rows.map((row) => line(row))].join('\n');
}
