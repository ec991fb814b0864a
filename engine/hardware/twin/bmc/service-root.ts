/** The service root, the OData documents, and the registries of a BMC. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import { ACCOUNT_SERVICE } from './accounts.ts';
import type { BmcCall, BmcRoute } from './bmc-call.ts';
import { collectionOf, linkTo, ROOT_PATH, resourceOf } from './documents.ts';
import { SESSIONS_PATH } from './sessions.ts';

const services = {
  Systems: linkTo(`${ROOT_PATH}/Systems`),
  Chassis: linkTo(`${ROOT_PATH}/Chassis`),
  Managers: linkTo(`${ROOT_PATH}/Managers`),
  Tasks: linkTo(`${ROOT_PATH}/TaskService`),
  SessionService: linkTo(`${ROOT_PATH}/SessionService`),
  AccountService: linkTo(ACCOUNT_SERVICE),
  EventService: linkTo(`${ROOT_PATH}/EventService`),
  UpdateService: linkTo(`${ROOT_PATH}/UpdateService`),
  Registries: linkTo(`${ROOT_PATH}/Registries`),
};

function rootDocument(call: BmcCall): JsonObject {
  const { model, machine } = call;
  return {
    ...resourceOf(call, 'ServiceRoot', 'Root service', {}),
    '@odata.id': `${ROOT_PATH}/`,
    Id: 'RootService',
    RedfishVersion: '1.18.0',
    UUID: machine.facts.uuid,
    Vendor: model.manufacturer,
    Product: model.bmc.model,
    ProtocolFeaturesSupported: {
      FilterQuery: false,
      SelectQuery: false,
      ExcerptQuery: false,
      OnlyMemberQuery: false,
      TopSkipQuery: true,
      ExpandQuery: { ExpandAll: false, Levels: false, Links: false, NoLinks: false },
    },
    ...services,
    Links: { Sessions: linkTo(SESSIONS_PATH) },
  };
}

const odataDocument = (): JsonObject => ({
  '@odata.context': `${ROOT_PATH}/$metadata`,
  value: [
    { name: 'Service', kind: 'Singleton', url: `${ROOT_PATH}/` },
    ...Object.entries({ ...services, Sessions: linkTo(SESSIONS_PATH) }).map(([name, link]) => ({
      name,
      kind: 'Singleton',
      url: link['@odata.id'],
    })),
  ],
});

/** Registries of DMTF by their ids; BMCs name where they are published. */
const standard: Readonly<Record<string, string>> = { Base: '1.19.0', TaskEvent: '1.0.4', Update: '1.2.0' };

function registryFile(call: BmcCall): JsonObject {
  const { id = '' } = call.params;
  const version = standard[id];
  const location =
    version === undefined
      ? { Uri: `${ROOT_PATH}/Registries/${id}/registry.json` }
      : { PublicationUri: `http://redfish.dmtf.org/registries/${id}.${version}.json` };
  return resourceOf(call, 'MessageRegistryFile', `${id} registry file`, {
    Registry: version === undefined ? BIOS_REGISTRY : `${id}.${version.split('.').slice(0, 2).join('.')}`,
    Languages: ['en'],
    Location: [{ Language: 'en', ...location }],
  });
}

const BIOS_REGISTRY_ID = 'BiosAttributes';
/** The name by which the BIOS names its registry. */
export const BIOS_REGISTRY = `${BIOS_REGISTRY_ID}.v1_0_0`;
export const BIOS_REGISTRY_PATH = `${ROOT_PATH}/Registries/${BIOS_REGISTRY_ID}/registry.json`;
const registryIds = [...Object.keys(standard), BIOS_REGISTRY_ID];

export const rootRoutes: readonly BmcRoute[] = [
  { path: '/redfish', isPublic: true, get: () => ({ v1: `${ROOT_PATH}/` }) },
  { path: ROOT_PATH, isPublic: true, get: rootDocument },
  { path: `${ROOT_PATH}/odata`, isPublic: true, get: odataDocument },
  { path: `${ROOT_PATH}/Registries`, get: (call) => collectionOf(call, 'MessageRegistryFile', registryIds) },
  {
    path: `${ROOT_PATH}/Registries/:id`,
    has: ({ params }) => registryIds.includes(params.id ?? ''),
    get: registryFile,
  },
];
