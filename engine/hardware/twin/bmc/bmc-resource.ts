/** The BMC itself (Manager): its clock, its network, and its own reset. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import { BMC_RESTART_MS } from '../machine/bmc-firmware.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { badRequest } from './bmc-rejection.ts';
import { dellActions, dellLinks } from './dell.ts';
import {
  bmcTime,
  chassisPath,
  collectionOf,
  enabledStatus,
  linkTo,
  managerPath,
  noContent,
  ROOT_PATH,
  resourceOf,
  senderOf,
  systemPath,
} from './documents.ts';
import { BodyFields } from './fields.ts';

const MANAGER = `${ROOT_PATH}/Managers/:manager`;
const resetTypes = ['GracefulRestart', 'ForceRestart'] as const;

function managerDocument(call: BmcCall): JsonObject {
  const { machine, model, bmc, now } = call;
  const path = managerPath(call);
  const { tree } = model;
  return resourceOf(call, 'Manager', 'Manager', {
    ManagerType: 'BMC',
    Manufacturer: model.manufacturer,
    Model: model.bmc.model,
    FirmwareVersion: bmc.versions.BMC,
    UUID: machine.facts.uuid,
    DateTime: bmcTime(call, now),
    DateTimeLocalOffset: '+00:00',
    PowerState: 'On',
    Status: enabledStatus,
    NetworkProtocol: linkTo(`${path}/NetworkProtocol`),
    EthernetInterfaces: linkTo(`${path}/EthernetInterfaces`),
    ...(tree.logOf === 'manager' && { LogServices: linkTo(`${path}/LogServices`) }),
    ...(tree.mediaOf === 'manager' && { VirtualMedia: linkTo(`${path}/VirtualMedia`) }),
    Links: {
      ManagerForServers: [linkTo(systemPath(call))],
      ManagerForChassis: [linkTo(chassisPath(call))],
      ...dellLinks(call),
    },
    Actions: {
      '#Manager.Reset': {
        target: `${path}/Actions/Manager.Reset`,
        'ResetType@Redfish.AllowableValues': resetTypes,
      },
      ...dellActions(call),
    },
  });
}

/** Sets the clock. */
async function changeManager(call: BmcCall): Promise<BmcReply> {
  const { bmc, body, machine, now } = call;
  const fields = new BodyFields(body, ['DateTime']);
  if (fields.has('DateTime')) {
    const text = fields.text('DateTime');
    const at = Date.parse(text);
    if (Number.isNaN(at)) throw badRequest('PropertyValueOutOfRange', text.slice(0, 40), 'DateTime');
    bmc.clockMs = at - now;
  }
  await machine.save();
  return { status: 200, body: managerDocument(call) };
}

/** It does not answer for a minute of field time, and has no sessions after it. */
async function resetManager(call: BmcCall): Promise<BmcReply> {
  const { bmc, body, logins, machine, now } = call;
  const type = new BodyFields(body, ['ResetType'], { isAction: true }).oneOf('ResetType', resetTypes);
  bmc.restartsUntil = now + BMC_RESTART_MS;
  machine.interruptBmc();
  logins.endAll();
  await machine.save({ kind: 'power', what: `manager reset ${type}`, outcome: 'done', by: senderOf(call) });
  return noContent;
}

const HTTPS_PORT = 443;

function protocolDocument(call: BmcCall): JsonObject {
  const { machine, options } = call;
  const { isHttps = false, port = HTTPS_PORT } = options;
  return resourceOf(call, 'ManagerNetworkProtocol', 'Network protocols', {
    HostName: `${machine.name}-bmc`,
    FQDN: `${machine.name}-bmc`,
    HTTP: { ProtocolEnabled: !isHttps, Port: isHttps ? 80 : port },
    HTTPS: { ProtocolEnabled: isHttps, Port: isHttps ? port : HTTPS_PORT },
    IPMI: { ProtocolEnabled: false, Port: 623 },
    SSH: { ProtocolEnabled: false, Port: 22 },
    NTP: { ProtocolEnabled: false },
    Status: enabledStatus,
  });
}

const interfaceDocument = (call: BmcCall): JsonObject =>
  resourceOf(call, 'EthernetInterface', 'Interface of the BMC', {
    MACAddress: call.machine.facts.bmcMac,
    PermanentMACAddress: call.machine.facts.bmcMac,
    HostName: `${call.machine.name}-bmc`,
    InterfaceEnabled: true,
    LinkStatus: 'LinkUp',
    SpeedMbps: 1_000,
    FullDuplex: true,
    IPv4Addresses: [
      {
        Address: call.machine.facts.bmcAddress,
        SubnetMask: '255.0.0.0',
        AddressOrigin: 'Static',
        Gateway: '127.0.0.1',
      },
    ],
    NameServers: [],
    Status: enabledStatus,
  });

export const managerRoutes: readonly BmcRoute[] = [
  { path: `${ROOT_PATH}/Managers`, get: (call) => collectionOf(call, 'Manager', [call.model.ids.manager]) },
  { path: MANAGER, get: managerDocument, patch: changeManager, needs: 'ConfigureManager' },
  { path: `${MANAGER}/Actions/Manager.Reset`, post: resetManager, needs: 'ConfigureManager' },
  { path: `${MANAGER}/NetworkProtocol`, get: protocolDocument },
  { path: `${MANAGER}/EthernetInterfaces`, get: (call) => collectionOf(call, 'EthernetInterface', ['1']) },
  { path: `${MANAGER}/EthernetInterfaces/:id`, has: ({ params }) => params.id === '1', get: interfaceDocument },
];
