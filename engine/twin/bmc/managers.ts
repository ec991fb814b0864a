/** The BMC itself (Manager): its clock, its network, and its own reset. */
import type { JsonObject } from '../../vocabulary/json.ts';
import { BMC_RESTART_MS } from '../bmc-firmware.ts';
import type { BmcAsked, BmcRoute, BmcSaid } from './asked.ts';
import { dellActions, dellLinks } from './dell.ts';
import {
  chassisPath,
  collectionOf,
  enabledStatus,
  linkTo,
  managerPath,
  noContent,
  ROOT_PATH,
  resourceOf,
  senderOf,
  shownTime,
  systemPath,
} from './documents.ts';
import { BodyFields } from './fields.ts';
import { badRequest } from './refusals.ts';

const MANAGER = `${ROOT_PATH}/Managers/:manager`;
const resetTypes = ['GracefulRestart', 'ForceRestart'] as const;

function managerDocument(asked: BmcAsked): JsonObject {
  const { machine, model, bmc, now } = asked;
  const path = managerPath(asked);
  const { tree } = model;
  return resourceOf(asked, 'Manager', 'Manager', {
    ManagerType: 'BMC',
    Manufacturer: model.manufacturer,
    Model: model.bmc.model,
    FirmwareVersion: bmc.versions.BMC,
    UUID: machine.facts.uuid,
    DateTime: shownTime(asked, now),
    DateTimeLocalOffset: '+00:00',
    PowerState: 'On',
    Status: enabledStatus,
    NetworkProtocol: linkTo(`${path}/NetworkProtocol`),
    EthernetInterfaces: linkTo(`${path}/EthernetInterfaces`),
    ...(tree.logOf === 'manager' && { LogServices: linkTo(`${path}/LogServices`) }),
    ...(tree.mediaOf === 'manager' && { VirtualMedia: linkTo(`${path}/VirtualMedia`) }),
    Links: {
      ManagerForServers: [linkTo(systemPath(asked))],
      ManagerForChassis: [linkTo(chassisPath(asked))],
      ...dellLinks(asked),
    },
    Actions: {
      '#Manager.Reset': {
        target: `${path}/Actions/Manager.Reset`,
        'ResetType@Redfish.AllowableValues': resetTypes,
      },
      ...dellActions(asked),
    },
  });
}

/** Sets the clock. */
async function changeManager(asked: BmcAsked): Promise<BmcSaid> {
  const { bmc, body, machine, now } = asked;
  const fields = new BodyFields(body, ['DateTime']);
  if (fields.has('DateTime')) {
    const text = fields.text('DateTime');
    const at = Date.parse(text);
    if (Number.isNaN(at)) throw badRequest('PropertyValueOutOfRange', text.slice(0, 40), 'DateTime');
    bmc.clockMs = at - now;
  }
  await machine.changed();
  return { status: 200, body: managerDocument(asked) };
}

/** It does not answer for a minute of field time, and has no sessions after it. */
async function resetManager(asked: BmcAsked): Promise<BmcSaid> {
  const { bmc, body, logins, machine, now } = asked;
  const type = new BodyFields(body, ['ResetType'], { isAction: true }).oneOf('ResetType', resetTypes);
  bmc.restartsUntil = now + BMC_RESTART_MS;
  logins.endAll();
  await machine.changed({ kind: 'power', what: `manager reset ${type}`, outcome: 'done', by: senderOf(asked) });
  return noContent;
}

const HTTPS_PORT = 443;

function protocolDocument(asked: BmcAsked): JsonObject {
  const { machine, options } = asked;
  const { isHttps = false, port = HTTPS_PORT } = options;
  return resourceOf(asked, 'ManagerNetworkProtocol', 'Network protocols', {
    HostName: `${machine.name}-bmc`,
    FQDN: `${machine.name}-bmc`,
    HTTP: { ProtocolEnabled: !isHttps, Port: isHttps ? 80 : port },
    HTTPS: { ProtocolEnabled: isHttps, Port: isHttps ? port : HTTPS_PORT },
    IPMI: { ProtocolEnabled: false, Port: 623 },
    SSH: { ProtocolEnabled: false, Port: 22 },
    NTP: { ProtocolEnabled: false, NTPServers: [] },
    Status: enabledStatus,
  });
}

const interfaceDocument = (asked: BmcAsked): JsonObject =>
  resourceOf(asked, 'EthernetInterface', 'Interface of the BMC', {
    MACAddress: asked.machine.facts.bmcMac,
    PermanentMACAddress: asked.machine.facts.bmcMac,
    HostName: `${asked.machine.name}-bmc`,
    InterfaceEnabled: true,
    LinkStatus: 'LinkUp',
    SpeedMbps: 1_000,
    FullDuplex: true,
    IPv4Addresses: [
      {
        Address: asked.machine.facts.bmcAddress,
        SubnetMask: '255.0.0.0',
        AddressOrigin: 'Static',
        Gateway: '127.0.0.1',
      },
    ],
    NameServers: [],
    Status: enabledStatus,
  });

export const managerRoutes: readonly BmcRoute[] = [
  { path: `${ROOT_PATH}/Managers`, get: (asked) => collectionOf(asked, 'Manager', [asked.model.ids.manager]) },
  { path: MANAGER, get: managerDocument, patch: changeManager, needs: 'ConfigureManager' },
  { path: `${MANAGER}/Actions/Manager.Reset`, post: resetManager, needs: 'ConfigureManager' },
  { path: `${MANAGER}/NetworkProtocol`, get: protocolDocument },
  { path: `${MANAGER}/EthernetInterfaces`, get: (asked) => collectionOf(asked, 'EthernetInterface', ['1']) },
  { path: `${MANAGER}/EthernetInterfaces/:id`, has: ({ params }) => params.id === '1', get: interfaceDocument },
];
