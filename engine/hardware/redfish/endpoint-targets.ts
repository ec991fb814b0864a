/** The BMCs that a discovery is given in the forms of RackHD: one URI, or ranges of addresses with credentials. */
import type { Violation } from '../../vocabulary/errors.ts';
import type { BmcTarget, TargetList } from './discover-bmcs.ts';
import { BMC_LIMIT, discoveryTargets } from './discovery-targets.ts';

interface Credentials {
  userName?: string | null;
  password?: string | null;
}

interface AddressRange {
  startIp?: string | null;
  /** Absent: one address. */
  endIp?: string | null;
  credentials?: Credentials | null;
  protocol?: 'http' | 'https';
  port?: number;
  deviceTypesToDiscover?: string[];
}

export interface EndpointOptions {
  uri?: string;
  username?: string;
  password?: string;
  ranges?: AddressRange[];
  credentials?: Credentials | null;
  deviceTypesToDiscover?: string[];
  verifySSL?: boolean;
  ca?: string;
}

export function endpointTargets(options: EndpointOptions): TargetList {
  const { uri, ranges = [], deviceTypesToDiscover: types } = options;
  const violations: Violation[] = [...typeViolations(types, 'deviceTypesToDiscover')];
  if (uri === undefined && ranges.length === 0)
    violations.push({ path: 'ranges', message: 'has no range; expected ranges with startIp and endIp, or a uri' });
  const lists = [...(uri === undefined ? [] : [targetOfUri(uri, options)]), ...ranges.map(targetsOfRange(options))];
  const targets = lists.flatMap((list) => list.targets);
  violations.push(...lists.flatMap((list) => list.violations));
  if (targets.length > BMC_LIMIT)
    violations.push({ path: 'ranges', message: `has ${targets.length} addresses; expected ${BMC_LIMIT} at most` });
  return { targets: violations.length > 0 ? [] : targets, violations };
}

function targetOfUri(uri: string, { username, password, ...trust }: EndpointOptions): TargetList {
  const origin = URL.canParse(uri) ? new URL(uri).origin : uri;
  const { targets, violations } = discoveryTargets([origin]);
  if (!origin.includes('://'))
    violations.push({ path: 'uri', message: 'expected one such as https://10.1.1.7/redfish/v1' });
  const credential = username === undefined || password === undefined ? undefined : { username, password };
  return {
    targets: targets.map((address) => targetAt(address, credential, trust)),
    violations: violations.map(({ message }) => ({ path: 'uri', message })),
  };
}

const targetsOfRange =
  (options: EndpointOptions) =>
  (range: AddressRange, index: number): TargetList => {
    const { startIp, endIp, protocol, port, deviceTypesToDiscover: types } = range;
    const path = `ranges.${index}`;
    const violations: Violation[] = [...typeViolations(types, `${path}.deviceTypesToDiscover`)];
    if (startIp == null) return { targets: [], violations: [{ path: `${path}.startIp`, message: 'is missing' }] };
    const list = discoveryTargets([endIp == null || endIp === startIp ? startIp : `${startIp}-${endIp}`]);
    violations.push(...list.violations.map(({ message }) => ({ path, message })));
    const credential = credentialOf(range.credentials) ?? credentialOf(options.credentials);
    if (credential === undefined)
      violations.push({ path: `${path}.credentials`, message: 'is missing; expected userName and password' });
    const at = { ...(protocol !== undefined && { protocol }), ...(port !== undefined && { port }) };
    return {
      targets: list.targets.map((address) => ({ ...targetAt(address, credential, options), ...at })),
      violations,
    };
  };

function targetAt(
  address: string,
  credential: BmcTarget['credential'],
  { verifySSL, ca }: Pick<EndpointOptions, 'verifySSL' | 'ca'>,
): BmcTarget {
  return {
    address,
    isNewAllowed: true,
    protocol: 'https',
    ...(credential !== undefined && { credential }),
    ...(verifySSL !== undefined && { verifySSL }),
    ...(ca !== undefined && { ca }),
  };
}

/** Redfish of a BMC is that of a server; RackHD's CHASSIS and STORAGE need WS-Man. */
const typeViolations = (types: readonly string[] = [], path: string): Violation[] =>
  types
    .filter((type) => type.toUpperCase() !== 'SERVER')
    .map((type) => ({ path, message: `found ${type}; expected SERVER, since only BMCs of servers are discovered` }));

const credentialOf = (given?: Credentials | null): BmcTarget['credential'] =>
  given?.userName && given.password ? { username: given.userName, password: given.password } : undefined;
