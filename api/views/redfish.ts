/** Redfish resources: the session service, with the OData fields of DSP0266. */
import { Type } from 'typebox';
import type { SessionRecord } from '../../engine/api-port/index.ts';

export const REDFISH_ROOT = '/redfish/v1/';
export const SERVICE = '/redfish/v1/SessionService';
export const SESSIONS = `${SERVICE}/Sessions`;

/** The schemas that the answers use, with their versions. */
const SCHEMAS = { ServiceRoot: 'v1_5_0', SessionService: 'v1_1_0', Session: 'v1_1_0', SessionCollection: '' } as const;

/** Returns the schema that describes a resource. */
export function schemaOf(path: string): string {
  const name = { [SERVICE]: 'SessionService', [SESSIONS]: 'SessionCollection', [`${SESSIONS}/:id`]: 'Session' }[path];
  return `http://redfish.dmtf.org/schemas/v1/${name ?? 'ServiceRoot'}.json`;
}

const link = (id: string) => ({ '@odata.id': id });
const odata = (id: string, name: keyof typeof SCHEMAS) => ({
  '@odata.context': `/redfish/v1/$metadata#${name}.${name}`,
  '@odata.id': id,
  '@odata.type': `#${[name, SCHEMAS[name], name].filter((part) => part !== '').join('.')}`,
});

export const serviceRoot = () => ({
  ...odata(REDFISH_ROOT, 'ServiceRoot'),
  Id: 'RootService',
  Name: 'Root Service',
  RedfishVersion: '1.6.0',
  SessionService: link(SERVICE),
  Links: { Sessions: link(SESSIONS) },
  Oem: {},
});

/** @param seconds lifetime of a session */
export const sessionService = (seconds: number) => ({
  ...odata(SERVICE, 'SessionService'),
  Id: 'SessionService',
  Name: 'Session Service',
  Description: 'Session Service',
  Status: { State: 'Enabled', Health: 'OK' },
  ServiceEnabled: true,
  SessionTimeout: seconds,
  Sessions: link(SESSIONS),
  Oem: {},
});

export const sessionLink = ({ id }: SessionRecord) => link(`${SESSIONS}/${id}`);

/** @param total of all pages */
export const sessionCollection = (sessions: readonly SessionRecord[], total: number) => ({
  ...odata(SESSIONS, 'SessionCollection'),
  Name: 'Session Collection',
  Members: sessions.map(sessionLink),
  'Members@odata.count': total,
  Oem: {},
});

export const sessionView = ({ id, username }: SessionRecord) => ({
  ...odata(`${SESSIONS}/${id}`, 'Session'),
  Id: id,
  Name: 'User Session',
  Description: 'User Session',
  UserName: username,
  Oem: {},
});

const fields = {
  '@odata.context': Type.String(),
  '@odata.id': Type.String(),
  '@odata.type': Type.String(),
  Name: Type.String(),
  Oem: Type.Object({}),
};

export const sessionRecord = Type.Object(
  { ...fields, Id: Type.String(), Description: Type.String(), UserName: Type.String() },
  { title: 'RedfishSession' },
);
export const collectionRecord = Type.Object(
  {
    ...fields,
    Members: Type.Array(Type.Object({ '@odata.id': Type.String() })),
    'Members@odata.count': Type.Integer(),
  },
  { title: 'RedfishCollection' },
);

export const odataService = () => ({
  '@odata.context': '/redfish/v1/$metadata',
  value: [
    { name: 'Service', kind: 'Singleton', url: REDFISH_ROOT },
    { name: 'SessionService', kind: 'Singleton', url: SERVICE },
    { name: 'Sessions', kind: 'Singleton', url: SESSIONS },
  ],
});

const reference = (name: string, version: string): string =>
  `<edmx:Reference Uri="http://redfish.dmtf.org/schemas/v1/${name}_v1.xml"><edmx:Include Namespace="${name}"/>` +
  `${version === '' ? '' : `<edmx:Include Namespace="${name}.${version}"/>`}</edmx:Reference>`;

export const metadata = (): string =>
  '<?xml version="1.0" encoding="UTF-8"?>' +
  '<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">' +
  `${Object.entries(SCHEMAS)
    .map(([name, version]) => reference(name, version))
    .join('')}` +
  '<edmx:DataServices><Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Service">' +
  '<EntityContainer Name="Service" Extends="ServiceRoot.v1_5_0.ServiceContainer"/></Schema></edmx:DataServices>' +
  '</edmx:Edmx>';
