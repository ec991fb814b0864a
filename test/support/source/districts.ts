/** The districts of the source: a district imports from itself and from what its row names, and from nothing else. */
export interface District {
  /** A folder or a file. */
  place: string;
  about: string;
  imports: readonly string[];
  /** Imported for their types only. */
  types?: readonly string[];
}

const words = ['engine/define/', 'engine/vocabulary/'];
const foundation = ['engine/platform/', ...words];
const core = ['engine/durable/', 'engine/hardware/', 'engine/library/', ...foundation];
const domain = ['engine/api-port/', 'engine/events/', 'engine/kit/', ...core];
/** The parts of the engine that requests of the API may use; programs also load the entry points. */
const engineForApi = ['engine/api-port/', ...words];

/** Districts of the engine, the highest first: none imports an earlier one. */
export const engineDistricts: readonly District[] = [
  {
    place: 'engine/index.ts',
    about: 'the entry point of programs',
    imports: ['engine/assembly/', 'engine/operations/', 'engine/platform/'],
  },
  {
    place: 'engine/assembly/',
    about: 'opens the modules; the entry point of authors',
    imports: ['engine/operations/', 'engine/workflows/', 'engine/inventory/', ...domain],
  },
  {
    place: 'engine/operations/',
    about: 'backups, exports and imports, audit log, users',
    imports: ['engine/workflows/', 'engine/inventory/', ...domain],
  },
  {
    place: 'engine/workflows/',
    about: 'launches and rollouts, when they may begin, why one waits',
    imports: ['engine/inventory/', ...domain],
  },
  {
    place: 'engine/inventory/',
    about: 'nodes, SKUs, packs, files, pollers, agents',
    imports: domain,
  },
  {
    place: 'engine/events/',
    about: 'events on their way out: outbox, log, web hooks',
    imports: ['engine/api-port/', ...foundation],
  },
  {
    place: 'engine/api-port/',
    about: 'what the API sees of the engine',
    imports: ['engine/kit/', ...core],
  },
  {
    place: 'engine/kit/',
    about: "the authors' kit: graphs simulated and tested",
    imports: ['engine/durable/', 'engine/library/', ...foundation],
  },
  {
    place: 'engine/durable/',
    about: 'the core: actors, steps, effects, live rows',
    imports: ['engine/hardware/', 'engine/library/', ...foundation],
  },
  { place: 'engine/hardware/', about: 'BMCs, drives, installers, and their twins', imports: foundation },
  { place: 'engine/library/', about: 'definitions: read, checked, compiled, kept', imports: foundation },
  {
    place: 'engine/platform/',
    about: 'knows no workflow: store, queue, secrets, ...',
    imports: words,
  },
  { place: 'engine/define/', about: 'what authors import: `nodewright/define`', imports: ['engine/vocabulary/'] },
  { place: 'engine/vocabulary/', about: 'shared words: errors, events, states, JSON', imports: [] },
];

/** Parts that only seem real: the process of a daemon imports none of them. */
export interface Simulator extends District {
  /** The places that import it. */
  importers: readonly string[];
}

export const simulators: readonly Simulator[] = [
  {
    place: 'engine/hardware/twin/',
    about: 'servers without hardware',
    imports: ['engine/hardware/', ...foundation],
    importers: ['api/cli/', 'api/story/'],
  },
  {
    place: 'engine/assembly/virtual/',
    about: 'time, stores and failures of a simulation',
    imports: ['engine/durable/', 'engine/events/', 'engine/platform/', ...words],
    importers: ['api/story/', 'engine/assembly/virtual-world.ts'],
  },
];

/** Districts beside the engine, whose kit definitions import by its name. */
export const otherDistricts: readonly District[] = [
  {
    place: 'graphs/',
    about: 'shipped graphs',
    imports: ['baseline/', 'burn-in/', 'firmware/', 'install/', 'raid/', 'redfish/']
      .map((folder) => `engine/hardware/${folder}`)
      .concat('tasks/'),
  },
  {
    place: 'tasks/',
    about: 'shipped tasks',
    imports: [
      'baseline/',
      'burn-in/',
      'erase/',
      'firmware/',
      'install/',
      'jobs/',
      'racadm/',
      'raid/',
      'redfish/',
      'rest/',
    ].map((folder) => `engine/hardware/${folder}`),
  },
  {
    place: 'api/endpoint/',
    about: 'an endpoint: its socket, its routes, the steps of a request',
    imports: ['api/routes/', 'api/middleware/', 'api/http/', ...engineForApi],
  },
  {
    place: 'api/routes/',
    about: 'the routes, a file for each resource',
    imports: ['api/middleware/', 'api/documents/', 'api/auth/', 'api/views/', 'api/http/', ...engineForApi],
  },
  {
    place: 'api/middleware/',
    about: 'the parts that all requests share',
    imports: ['api/auth/', 'api/http/', ...engineForApi],
  },
  {
    place: 'api/documents/',
    about: 'OpenAPI, AsyncAPI, Swagger',
    imports: ['api/auth/', 'api/views/', 'api/http/', ...engineForApi],
  },
  { place: 'api/auth/', about: 'passwords, tokens, sessions', imports: ['api/http/', ...engineForApi] },
  { place: 'api/views/', about: 'the records that routes show', imports: ['api/http/', ...engineForApi] },
  { place: 'api/http/', about: 'routes as data, lists, checks, errors', imports: engineForApi },
  {
    place: 'api/process/',
    about: 'the process of a daemon',
    imports: ['api/endpoint/', 'api/http/', 'api/middleware/', 'engine/index.ts', ...engineForApi],
  },
  {
    place: 'api/story/',
    about: 'graphs on machines of the twin, under virtual time; `nodewright/test`',
    imports: [
      'api/endpoint/',
      'engine/assembly/',
      'engine/kit/',
      'engine/library/',
      'engine/hardware/twin/',
      'engine/assembly/virtual/',
      ...foundation,
    ],
  },
  {
    place: 'api/cli/',
    about: 'the command line',
    imports: [
      'api/',
      'engine/index.ts',
      'engine/assembly/authoring.ts',
      'engine/kit/index.ts',
      'engine/hardware/twin/',
      'engine/platform/',
      ...engineForApi,
    ],
  },
  {
    place: 'api/client/',
    about: 'requests to a daemon, for `nw` and the console',
    imports: words,
    types: ['api/routes/', 'api/http/route.ts'],
  },
  {
    place: 'api/console/',
    about: 'the web console; it runs in browsers',
    imports: ['api/client/', 'api/http/rights.ts', ...words],
    types: ['api/', 'engine/api-port/index.ts'],
  },
];

/** Folders of which definitions in a user's folder import parts, without the rest of the engine. */
export const inDefinitions: readonly District[] = [
  { place: 'engine/hardware/erase/', about: 'drives and their erasure', imports: words },
  {
    place: 'engine/hardware/baseline/',
    about: 'what a machine must have, and what changes it',
    imports: ['engine/hardware/firmware/', 'engine/hardware/redfish/', ...words],
  },
  {
    place: 'engine/hardware/firmware/',
    about: 'firmware of devices in band',
    imports: ['engine/hardware/erase/', 'engine/hardware/jobs/', ...words],
  },
  {
    place: 'engine/hardware/burn-in/',
    about: 'tests of machines under load',
    imports: ['engine/hardware/erase/', 'engine/hardware/jobs/', ...words],
  },
  {
    place: 'engine/hardware/install/',
    about: 'installers',
    imports: ['engine/hardware/erase/', 'engine/hardware/jobs/', ...words],
  },
  { place: 'engine/hardware/jobs/', about: 'jobs on nodes, detached from agents', imports: words },
  {
    place: 'engine/hardware/raid/',
    about: 'RAID volumes',
    imports: ['engine/hardware/erase/', 'engine/hardware/jobs/', ...words],
  },
  { place: 'engine/hardware/racadm/', about: "actions of Dell's racadm", imports: words },
  {
    place: 'engine/hardware/redfish/',
    about: 'firmware, BIOS, virtual media',
    imports: ['engine/hardware/raid/', 'engine/hardware/rest/', ...words],
  },
  { place: 'engine/hardware/rest/', about: 'REST calls', imports: words },
];

/** All rows: a file may be in several of them. */
export const districts: readonly District[] = [...engineDistricts, ...otherDistricts, ...inDefinitions, ...simulators];

/** As Markdown, for `engine/README.md`. */
export function districtsTable(): string {
  const name = (place: string) => place.replace('engine/', '').replace(/\/$/, '');
  const rows = engineDistricts.map(({ place, about, imports }, n) => {
    const later = engineDistricts.slice(n + 1).map((district) => district.place);
    const isFoundation = foundation.every((one) => imports.includes(one));
    const named = imports.filter((one) => !isFoundation || !foundation.includes(one)).map(name);
    const all = [...named, ...(isFoundation ? ['foundation'] : [])].join(', ');
    return [
      `\`${name(place)}\``,
      about,
      later.every((one) => imports.includes(one)) && all !== 'foundation' && later.length > 0 ? 'all below' : all,
    ];
  });
  const head = ['', '', 'imports'];
  const width = (column: number) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0));
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(width(column), fill)).join(' | ')} |`;
  return [line(head), line(['-', '-', '-'], '-'), ...rows.map((row) => line(row))].join('\n');
}
