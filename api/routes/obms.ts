/**
 * Obms: access to the power control and BMC of a node; ibms: access to the system that runs on it. Secrets can be written
 * but are never returned.
 */
import { Type } from 'typebox';
import type { AccessService, Engine, ObmRecord, Obms } from '../../engine/api-port/index.ts';
import { type ListFields, texts, times, word } from '../../engine/api-port/list-filter.ts';
import { ibmRecord, newObm, obmRecord } from '../../engine/api-port/nodes.ts';
import { anyObject, nonEmpty, words } from '../../engine/api-port/schemas.ts';
import { type IbmService, ibmServices, type ObmService, obmServices } from '../../engine/define/node.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { cutPage, narrowedPage } from '../http/list.ts';
import { nodeIdNamed, requireFound } from '../http/rejections.ts';
import { listReply, removalReply } from '../http/replies.ts';
import { type Reply, route } from '../http/route.ts';
import { accessView } from '../views/node.ts';
import { schemaDocument } from './schemas.ts';

interface Kind<Service extends AccessService, Name extends 'obm' | 'ibm'> {
  /** Lower-case name, and as in ids. */
  name: Name;
  title: 'Obm' | 'Ibm';
  services: readonly Service[];
  record: typeof obmRecord | typeof ibmRecord;
  of(engine: Engine): Obms<Service>;
}

const obmKind: Kind<ObmService, 'obm'> = {
  name: 'obm',
  title: 'Obm',
  services: obmServices,
  record: obmRecord,
  of: (engine) => engine.obms,
};
const ibmKind: Kind<IbmService, 'ibm'> = {
  name: 'ibm',
  title: 'Ibm',
  services: ibmServices,
  record: ibmRecord,
  of: (engine) => engine.ibms,
};

const filtersOf = (services: readonly AccessService[]): ListFields => ({
  ...texts('id'),
  ...times('createdAt', 'updatedAt'),
  service: word(services),
});

const newOf = <Service extends AccessService>({ services }: { services: readonly Service[] }) => ({
  service: words(services),
  config: Type.Optional(anyObject),
});

const put = (name: string, record: ObmRecord<AccessService>): Reply => ({
  status: 201,
  body: accessView(record),
  headers: { Location: `/api/2.0/${name}s/${record.id}` },
});

const changedIn = (name: string, path: string, actual: string) =>
  invalidInput(path, `differs from ${actual}, expected no change; delete this ${name} and put another`);

/** The body may name the node too, as RackHD requires. @throws NodewrightError INVALID if it is another one */
async function nodeOf(engine: Engine, identifier: string, nodeId: string | undefined): Promise<string> {
  const id = await nodeIdNamed(engine, identifier);
  if (nodeId !== undefined && (await engine.nodes.idOf(nodeId)) !== id) {
    throw invalidInput('nodeId', `is ${nodeId}, which is not the node in the path; leave it out`);
  }
  return id;
}

function routesOf<Service extends AccessService, Name extends 'obm' | 'ibm'>(kind: Kind<Service, Name>) {
  const { name, title, services, record, of } = kind;
  const root = `/${name}s` as const;
  const definitions = `${root}/definitions` as const;
  const filters = filtersOf(services);
  const notFoundError = (id: string) => new NodewrightError('NOT_FOUND', `Could not find ${name} ${id}`);
  const obmOf = async (engine: Engine, id = '') => requireFound(await of(engine).get(id), () => notFoundError(id));
  return [
    route({
      id: `list${title}Definitions`,
      summary: `List the paths of the schemas of ${name}s, one for each service`,
      method: 'GET',
      path: definitions,
      resourceGroup: 'general',
      list: {},
      answer: { status: 200, schema: Type.Array(Type.String()) },
      handle: async ({ page }) => {
        const { items, total } = cutPage(services, page);
        return { status: 200, body: items.map((service) => `/api/2.0${definitions}/${service}`), total };
      },
    }),
    route({
      id: `get${title}Definition`,
      summary: `Get the schema of the ${name}s of a service`,
      method: 'GET',
      path: `${definitions}/:name` as const,
      resourceGroup: 'general',
      answer: { status: 200, schema: anyObject },
      handle: async ({ engine, params: { name: serviceName = '' } }) => {
        const service = requireFound(
          services.find((one) => [one, `${one}.json`].includes(serviceName)),
          () => new NodewrightError('NOT_FOUND', `Could not find ${name} service ${serviceName}`),
        );
        const config = of(engine).schemaOf(service);
        return { status: 200, body: schemaDocument(service, Type.Object({ ...newObm.properties, config })) };
      },
    }),
    route({
      id: `put${title}`,
      summary: `Set the ${name} of a node for one service; the body names the node`,
      method: 'PUT',
      path: root,
      resourceGroup: 'components',
      body: Type.Object({ nodeId: nonEmpty, ...newOf(kind) }, { additionalProperties: false }),
      answer: { status: 201, schema: record },
      handle: async ({ engine, body: { nodeId, ...settings } }) => {
        const node = requireFound(await engine.nodes.idOf(nodeId), () =>
          invalidInput('nodeId', `${nodeId} is not a known node`),
        );
        return put(name, await of(engine).put(node, settings));
      },
    }),
    route({
      id: `list${title}s`,
      summary: `List the ${name}s of all nodes`,
      method: 'GET',
      path: root,
      resourceGroup: 'components',
      list: { ...texts('nodeId'), node: { kind: 'text', path: 'nodeId' }, ...filters },
      answer: { status: 200, schema: Type.Array(record) },
      handle: async ({ engine, page }) => listReply(await of(engine).list(page), accessView),
    }),
    route({
      id: `get${title}`,
      summary: `Get an ${name}`,
      method: 'GET',
      path: `${root}/:id` as const,
      resourceGroup: 'components',
      answer: { status: 200, schema: record },
      handle: async ({ engine, params }) => ({ status: 200, body: accessView(await obmOf(engine, params.id)) }),
    }),
    route({
      id: `change${title}`,
      summary: `Replace the config of an ${name}`,
      method: 'PATCH',
      path: `${root}/:id` as const,
      resourceGroup: 'components',
      body: Type.Object(
        { ...Type.Partial(Type.Object(newOf(kind))).properties, nodeId: Type.Optional(nonEmpty) },
        { additionalProperties: false },
      ),
      answer: { status: 200, schema: record },
      handle: async ({ engine, body: { nodeId, service, config }, params }) => {
        const there = await obmOf(engine, params.id);
        const isMoved = nodeId !== undefined && (await engine.nodes.idOf(nodeId)) !== there.nodeId;
        if (isMoved) throw changedIn(name, 'nodeId', there.nodeId);
        if (service !== undefined && service !== there.service) throw changedIn(name, 'service', there.service);
        const changed = config && (await of(engine).put(there.nodeId, { service: there.service, config }));
        return { status: 200, body: accessView(changed ?? there) };
      },
    }),
    route({
      id: `remove${title}`,
      summary: `Delete an ${name}`,
      method: 'DELETE',
      path: `${root}/:id` as const,
      resourceGroup: 'components',
      answer: { status: 204 },
      handle: async ({ engine, params: { id = '' } }) =>
        removalReply(await of(engine).remove(id), () => notFoundError(id)),
    }),
  ];
}

export const obmRoutes = [
  ...nodeRoutesOf(obmKind, 'Obm', '/nodes/:identifier/obm', 'PUT', obmServices),
  ...routesOf(obmKind),
  ...nodeRoutesOf(ibmKind, 'Ssh', '/nodes/:identifier/ssh', 'POST', ['ssh-ibm-service']),
  ...routesOf(ibmKind),
];

/** @param services those of the path: its ssh settings are the ibms of one service */
function nodeRoutesOf<Service extends AccessService, Path extends string, Method extends 'PUT' | 'POST'>(
  kind: Kind<Service, 'obm' | 'ibm'>,
  title: string,
  path: Path,
  method: Method,
  services: readonly Service[],
) {
  const { name, record, of } = kind;
  return [
    route({
      id: `putNode${title}`,
      summary: `Set the ${name} of a node for ${services.length === 1 ? services[0] : 'one service'}`,
      method,
      path,
      resourceGroup: 'components',
      body: Type.Object(
        { ...newOf({ ...kind, services }), nodeId: Type.Optional(nonEmpty) },
        { additionalProperties: false },
      ),
      answer: { status: 201, schema: record },
      handle: async ({ engine, body: { nodeId, ...settings }, params: { identifier = '' } }) =>
        put(name, await of(engine).put(await nodeOf(engine, identifier, nodeId), settings)),
    }),
    route({
      id: `listNode${title}s`,
      summary: `List the ${name}s of a node${services.length === 1 ? ` for ${services[0]}` : ''}`,
      method: 'GET',
      path,
      reach: { by: 'node' },
      resourceGroup: 'components',
      list: filtersOf(services),
      answer: { status: 200, schema: Type.Array(record) },
      handle: async ({ engine, page, params: { identifier = '' } }) => {
        const nodeId = await nodeIdNamed(engine, identifier);
        const { items, total } = await of(engine).list(narrowedPage(page, { nodeId, service: { $in: [...services] } }));
        return { status: 200, body: items.map(accessView), total };
      },
    }),
  ];
}
