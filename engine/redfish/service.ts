/** Selects the Redfish service of a task: that of the node's obm, unless its options name another. */
import { type Need, PermanentError, type Redfish, type Services, secret, Type } from '../define/index.ts';
import { property } from '../define/json.ts';

export type Json = Record<string, unknown>;
type Asked = Parameters<Redfish['ask']>[0];
export type Ask = (request: Asked) => Promise<Json>;

/** A Redfish service with the request function of one task run. */
interface Service {
  origin: string;
  ask: Ask;
  finish: Ask;
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

interface ServiceInput {
  url?: string;
  credential?: { username: string; password: string };
  verifySSL?: boolean;
  ca?: string;
}

interface Scope {
  input: ServiceInput;
  nodeId: string | null;
  services: Services;
  signal: AbortSignal;
}

export async function serviceOf({ input, nodeId, services, signal }: Scope): Promise<Service> {
  if (nodeId === null) throw new PermanentError('a workflow without a node has no BMC', 'NO_NODE');
  const { url, credential, verifySSL, ca } = input;
  const origin = url === undefined ? {} : { origin: new URL(url).origin };
  const service = await services.redfish(nodeId, { ...origin, ...credential, verifySSL, ca });
  return {
    origin: service.origin,
    ask: (request) => service.ask(request, signal),
    finish: (request) => service.finish(request, signal),
  };
}

/** Returns the target of a link; undefined if there is none. */
export const linkIn = (value: unknown): string | undefined => {
  const path = property(value, '@odata.id');
  return typeof path === 'string' ? path : undefined;
};
