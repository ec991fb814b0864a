/**
 * Extensions of an iDRAC: the attributes of its manager, and configuration profiles that jobs export and import (Dell,
 * iDRAC9 Redfish API Guide). A job ends when it begins; its monitor is answered when a client reads it.
 */
import { isObject, type JsonObject, listIn, objectIn, property } from '../../../vocabulary/json.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { badRequest } from './bmc-rejection.ts';
import { linkTo, managerPath, ROOT_PATH, resourceOf } from './documents.ts';
import { BodyFields, wrongType } from './fields.ts';

const MANAGER = `${ROOT_PATH}/Managers/:manager`;
const ACTIONS = 'Actions/Oem/EID_674_Manager';
/** Its monitors are beside those of updates. */
const JOBS = `${ROOT_PATH}/TaskService/TaskMonitors`;
const EXPORT = 'EXPORT_';
const IMPORT = 'IMPORT';

const attributes: Readonly<Record<string, string>> = {
  'IPMILan.1.AlertEnable': 'Disabled',
  'IPMILan.1.Enable': 'Disabled',
  'IPv4Static.1.Address': '192.168.0.120',
  'IPv4Static.1.Gateway': '192.168.0.1',
  'IPv4Static.1.Netmask': '255.255.255.0',
  'Redfish.1.Enable': 'Enabled',
  'IPMILan.1.PrivLimit': 'Administrator',
  'WebServer.1.TLSProtocol': 'TLS 1.2 and Higher',
  'NTPConfigGroup.1.NTPEnable': 'Disabled',
  'VirtualMedia.1.Enable': 'Enabled',
};

/** Filters of alerts by component; the last digit of a name is its severity. */
const filters: Readonly<Record<string, readonly string[]>> = {
  'EventFilters.SystemHealth.1': ['AMP_1_1', 'BAT_1_1', 'BAT_1_2', 'FAN_1_1', 'PSU_1_1', 'TMP_1_2'],
  'EventFilters.Storage.1': ['PDR_2_1', 'PDR_2_2', 'VDR_2_1', 'CTL_2_2'],
  'EventFilters.Configuration.1': ['BIOS_3_3', 'JCP_3_3', 'NIC_3_2'],
  'EventFilters.Audit.1': ['USR_5_1', 'USR_5_3', 'LOG_5_2'],
  'EventFilters.Updates.1': ['RED_4_3', 'SWU_4_1'],
};
const outputs = ['Alert#RedfishEventing', 'Alert#SNMP', 'Alert#Email'] as const;

const SETTING_LENGTH = 256;

const isDell = ({ model }: BmcCall): boolean => model.vendor === 'dell';
const attributesPath = (call: BmcCall): string =>
  `${managerPath(call)}/Oem/Dell/DellAttributes/${call.model.ids.manager}`;

export const dellLinks = (call: BmcCall): JsonObject =>
  isDell(call) ? { Oem: { Dell: { DellAttributes: [linkTo(attributesPath(call))] } } } : {};

export const dellActions = (call: BmcCall): JsonObject => {
  if (!isDell(call)) return {};
  const names = ['ExportSystemConfiguration', 'ImportSystemConfiguration'];
  const target = (name: string) => `${managerPath(call)}/${ACTIONS}.${name}`;
  return { Oem: Object.fromEntries(names.map((name) => [`#OemManager.${name}`, { target: target(name) }])) };
};

const attributesDocument = (call: BmcCall): JsonObject => ({
  ...resourceOf(call, 'Manager', 'Attributes of the iDRAC', {}),
  '@odata.type': '#DellAttributes.v1_0_0.DellAttributes',
  AttributeRegistry: 'ManagerAttributeRegistry.v1_0_0',
  Attributes: Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, call.bmc.vendor?.[name] ?? value]),
  ),
});

async function changeAttributes(call: BmcCall): Promise<BmcReply> {
  const { bmc, body, machine } = call;
  const wanted = new BodyFields(body, ['Attributes']).object('Attributes');
  const next = Object.entries(wanted).map(([name, value]) => {
    if (!Object.hasOwn(attributes, name)) throw badRequest('PropertyUnknown', name.slice(0, 80));
    if (typeof value !== 'string' || value.length > SETTING_LENGTH) throw wrongType(name, value);
    return [name, value] as const;
  });
  bmc.vendor = { ...bmc.vendor, ...Object.fromEntries(next) };
  await machine.save();
  return { status: 200, body: attributesDocument(call) };
}

const jobStarted = (id: string): BmcReply => ({
  status: 202,
  headers: { Location: `${JOBS}/${id}`, 'Retry-After': '1' },
});

function exportProfile({ body }: BmcCall): BmcReply {
  const target = property(body.ShareParameters, 'Target');
  if (body.ExportFormat !== 'JSON' || typeof target !== 'string' || filters[target] === undefined)
    throw badRequest('ActionParameterValueNotInList', String(target).slice(0, 80), 'ShareParameters');
  return jobStarted(`${EXPORT}${target}`);
}

const settingKey = (component: string, name: string): string => `${component}/${name}`;

async function importProfile(call: BmcCall): Promise<BmcReply> {
  const { bmc, body, machine } = call;
  const profile = objectIn(profileIn(body.ImportBuffer).SystemConfiguration);
  const changes = listIn(profile.Components).flatMap((component) => {
    const fqdd = String(property(component, 'FQDD'));
    return listIn(property(component, 'Attributes')).map((each) => {
      const [name, value] = [String(property(each, 'Name')), property(each, 'Value')];
      const [filter = '', ...output] = name.split('#');
      const isKnown = filters[fqdd]?.includes(filter) === true && outputs.some((one) => one === output.join('#'));
      if (!isKnown) throw badRequest('PropertyUnknown', `${fqdd}/${name}`.slice(0, 80));
      if (value !== 'Enabled' && value !== 'Disabled') throw wrongType(name, value);
      return [settingKey(fqdd, name), value] as const;
    });
  });
  bmc.vendor = { ...bmc.vendor, ...Object.fromEntries(changes) };
  await machine.save();
  return jobStarted(IMPORT);
}

function profileIn(text: unknown): JsonObject {
  try {
    const profile: unknown = JSON.parse(String(text));
    if (isObject(profile)) return profile;
  } catch {
    // Refused below.
  }
  throw badRequest('MalformedJSON');
}

/** The end of a job. */
function jobDocument({ bmc, model, machine, params }: BmcCall): JsonObject {
  const { id = '' } = params;
  if (id === IMPORT)
    return { TaskState: 'Completed', TaskStatus: 'OK', Messages: [{ Message: 'Successfully imported.' }] };
  const target = id.slice(EXPORT.length);
  const all = (filters[target] ?? []).flatMap((filter) => outputs.map((output) => `${filter}#${output}`));
  const Attributes = all.map((name) => ({
    Name: name,
    Value: bmc.vendor?.[settingKey(target, name)] ?? 'Disabled',
    'Set On Import': 'True',
    Comment: 'Read and Write',
  }));
  const Components = [{ FQDD: target, Attributes }];
  return { SystemConfiguration: { Model: model.product, ServiceTag: machine.facts.serial, Components } };
}

const isJob = (id = ''): boolean => id === IMPORT || filters[id.slice(EXPORT.length)] !== undefined;

export const dellRoutes: readonly BmcRoute[] = [
  {
    path: `${MANAGER}/Oem/Dell/DellAttributes/:attributes`,
    has: (call) => isDell(call) && call.params.attributes === call.model.ids.manager,
    get: attributesDocument,
    patch: changeAttributes,
    needs: 'ConfigureManager',
  },
  {
    path: `${MANAGER}/${ACTIONS}.ExportSystemConfiguration`,
    has: isDell,
    post: exportProfile,
    needs: 'ConfigureManager',
  },
  {
    path: `${MANAGER}/${ACTIONS}.ImportSystemConfiguration`,
    has: isDell,
    post: importProfile,
    needs: 'ConfigureManager',
  },
  { path: `${JOBS}/:id`, has: (call) => isDell(call) && isJob(call.params.id), get: jobDocument },
];
