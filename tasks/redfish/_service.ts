/** How a task says which Redfish service it means: that of the node's obm, unless its options say otherwise. */
import { PermanentError, type Redfish, secret, Type, type World } from '../../engine/define/index.ts';

export type Json = Record<string, unknown>;
type Asked = Parameters<Redfish['ask']>[0];
export type Ask = (asked: Asked) => Promise<Json>;

export const text = Type.String({ minLength: 1, maxLength: 1_024 });

/** Options of every such task. */
export const serviceOptions = {
  url: Type.Optional(
    Type.String({ pattern: '^https?://', description: "Of the BMC; absent: as the node's obm says." }),
  ),
  credential: Type.Optional(
    secret(Type.Object({ username: text, password: text }, { description: "Absent: those of the node's obm." })),
  ),
  verifySSL: Type.Optional(Type.Boolean({ description: "false: any certificate of the BMC's will do." })),
  ca: Type.Optional(Type.String({ description: "PEM of the authority that signed the BMC's certificate." })),
};

interface ServiceInput {
  url?: string;
  credential?: { username: string; password: string };
  verifySSL?: boolean;
  ca?: string;
}

interface Scope {
  input: ServiceInput;
  nodeId: string | null;
  world: World;
}

export async function serviceOf({ input, nodeId, world }: Scope): Promise<Redfish> {
  if (nodeId === null) throw new PermanentError('a workflow without a node has no BMC', 'NO_NODE');
  const { url, credential, verifySSL, ca } = input;
  const origin = url === undefined ? {} : { origin: new URL(url).origin };
  return world.redfish(nodeId, { ...origin, ...credential, verifySSL, ca });
}

/** Where a link of a resource leads; undefined: it has none of that name. */
export const linkIn = (value: unknown): string | undefined => {
  const path = (value as Json | null | undefined)?.['@odata.id'];
  return typeof path === 'string' ? path : undefined;
};
