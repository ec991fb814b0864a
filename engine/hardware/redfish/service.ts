/** Selects the Redfish service of a task: that of the node's obm, unless its options name another. */
import {
  type Need,
  ObmError,
  PermanentError,
  type Redfish,
  type RedfishProgress,
  type Services,
  secret,
  Type,
} from '../../define/index.ts';
import { type ObmCommand, type RedfishCommand, theOnlySystem } from '../../define/obm.ts';
import { listIn, property } from '../../vocabulary/json.ts';
import { fieldOf } from '../../vocabulary/thrown-values.ts';

/** The path that every Redfish service has (DSP0266, 6.4). */
export const SERVICE_ROOT = '/redfish/v1/';

export type Json = Record<string, unknown>;
type ServiceRequest = Parameters<Redfish['ask']>[0];
export type Ask = (request: ServiceRequest) => Promise<Json>;

/** A Redfish service with the request function of one task run. */
export interface Service {
  origin: string;
  ask: Ask;
  finish: Ask;
  /** @returns the path of the ComputerSystem of the node @throws ObmError OBM_INVALID if the BMC has several */
  system(): Promise<string>;
  /** Sends a command once in a task run. @returns its task's monitor; null: it has none */
  command(command: ObmCommand, request: RedfishCommand): Promise<string | null>;
  progress(monitor: string): Promise<RedfishProgress>;
}

/** Members of a collection, or links of a list, that are read: a BMC has some dozens of components. */
export const MEMBER_LIMIT = 200;

/** @param collection path @returns its resources */
export const membersOf = async (ask: Ask, collection: string): Promise<Json[]> =>
  resourcesAt(ask, (await ask({ method: 'GET', path: collection })).Members);

/** @param links as a collection or a resource lists them */
export async function resourcesAt(ask: Ask, links: unknown): Promise<Json[]> {
  const paths = linksIn(listIn(links).slice(0, MEMBER_LIMIT));
  const memberList: Json[] = [];
  // In sequence: BMCs serve few requests at a time.
  for (const path of paths) memberList.push({ ...(await ask({ method: 'GET', path })), '@odata.id': path });
  return memberList;
}

export const text = Type.String({ minLength: 1, maxLength: 1_024 });

/** Options that all Redfish tasks share. */
export const serviceOptions = {
  url: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        "URL of the BMC's subscriptions, or of another resource of its service; absent: derived from the node's obm.",
    }),
  ),
  credential: Type.Optional(
    secret(
      Type.Object({ username: text, password: text }, { description: "Default: the credentials of the node's obm." }),
    ),
  ),
  verifySSL: Type.Optional(Type.Boolean({ description: 'false: accept any certificate of the BMC.' })),
  ca: Type.Optional(Type.String({ description: "PEM of the authority that signed the BMC's certificate." })),
};

/** Requires the obm, unless the options contain both the service's URL and credentials. */
export const needsService: readonly Need[] = [{ obm: 'redfish-obm-service', unless: ['url', 'credential'] }];

export interface ServiceInput {
  url?: string;
  credential?: { username: string; password: string };
  verifySSL?: boolean;
  ca?: string;
}

/** The parts of an activity's scope that select its service. */
export interface ServiceScope {
  input: ServiceInput;
  nodeId: string | null;
  services: Services;
  signal: AbortSignal;
}

export async function serviceOf({ input, nodeId, services, signal }: ServiceScope): Promise<Service> {
  if (nodeId === null) throw new PermanentError('a workflow without a node has no BMC', 'NO_NODE');
  const { url, credential, verifySSL, ca } = input;
  const origin = url === undefined ? {} : { origin: new URL(url).origin };
  const service = await services.redfish(nodeId, { ...origin, ...credential, verifySSL, ca });
  return {
    origin: service.origin,
    ask: (request) => service.ask(request, signal),
    finish: (request) => service.finish(request, signal),
    system: async () => service.system ?? (await onlySystem((request) => service.ask(request, signal))),
    command: (command, request) => service.command(command, request, signal),
    progress: (monitor) => service.progress(monitor, signal),
  };
}

export async function onlySystem(ask: Ask): Promise<string> {
  const { Members: members } = await ask({ method: 'GET', path: `${SERVICE_ROOT}Systems` });
  return theOnlySystem(linksIn(members));
}

/** Returns the target of a link; undefined if there is none. */
export const linkIn = (value: unknown): string | undefined => {
  const path = property(value, '@odata.id');
  return typeof path === 'string' ? path : undefined;
};

/** Returns the targets of a list of links. */
export const linksIn = (value: unknown): string[] => listIn(value).flatMap((link) => linkIn(link) ?? []);

/**
 * Returns how far a task of the BMC is.
 * @returns undefined: a BMC that restarted has forgotten it. @throws ObmError, also if the task failed
 */
export async function taskProgress({ progress }: Pick<Service, 'progress'>, monitor: string) {
  try {
    return await progress(monitor);
  } catch (error) {
    if ([404, 410].includes(Number(fieldOf(error, 'status')))) return undefined;
    throw error;
  }
}

/** The error of a BMC that lacks what a task needs. */
export const unsupportedBy = (problem: string) => new ObmError('OBM_UNSUPPORTED', problem, { retry: false });
