/**
 * /profiles/switch: the program that a switch runs at zero-touch provisioning, which then asks for commands. An unknown switch is
 * registered and discovered. It is identified by the MAC that its software sends, by one in the query, or by an operator's lookup of its
 * address.
 */
import { Type } from 'typebox';
import type { Engine, SentIdentity } from '../../engine/api-port/index.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { macOf } from '../../engine/vocabulary/mac.ts';
import {
  SWITCH_PROFILE,
  type SwitchVendor,
  switchMacHeaders,
  switchVendors,
  traitsOfSwitch,
} from '../../engine/vocabulary/switch-vendors.ts';
import { NO_CALLBACKS, reachedAt } from '../http/boot.ts';
import { registerSender } from '../http/register-sender.ts';
import { requireOrigin } from '../http/rejections.ts';
import { type Call, type Reply, route } from '../http/route.ts';

interface SwitchQuery {
  mac?: string;
}

/** @throws NodewrightError INVALID */
async function macsOf({ engine, query, header, address }: Call<SwitchQuery>): Promise<string[]> {
  const sent = [query.mac ?? '', ...switchMacHeaders.map(header)].filter((text) => text !== '');
  const macs = sent.flatMap((text) => macOf(text.trim()) ?? []);
  if (macs.length < sent.length) throw invalidInput('mac', 'is no MAC, in the query or in a header of the switch');
  if (macs.length > 0) return macs;
  const entered = await engine.discovery.macsAt(address);
  if (entered.length > 0) return entered;
  const expected = `expected it in one of the headers ${switchMacHeaders.join(', ')}, in the query, or a lookup for ${address}`;
  throw invalidInput('mac', `is missing: ${expected}; enter the switch with POST /lookups`);
}

/** @throws NodewrightError INVALID */
function vendorOf({ vendor = '' }: Record<string, string>): SwitchVendor {
  const name = switchVendors.find((each) => each === vendor.toLowerCase());
  if (name === undefined) throw invalidInput('vendor', `is unknown; expected one of ${switchVendors.join(', ')}`);
  return name;
}

async function switchProfile(call: Call<SwitchQuery>): Promise<Reply> {
  const { engine, address, sender } = call;
  const origin = requireOrigin(call.origin);
  const vendor = vendorOf(call.params);
  const sent = { macs: await macsOf(call), ips: [], from: address, switchVendor: vendor };
  await needProgram(engine, sent);
  const node = await registerSender(engine, sent, sender);
  const key = node.active === null ? null : await engine.southbound.keyFor(node.id, node.active.id, sent);
  // The programs of RackHD end the URL of their commands with it.
  const identifier = key === null ? node.id : `${node.id}?key=${key}`;
  const hidden = key === null ? { task: NO_CALLBACKS } : {};
  const variables = { ...reachedAt(origin), switchVendor: vendor, identifier, nodeKey: key ?? '', ...hidden };
  const boot = await engine.agents.boot(node.id);
  const names = boot?.profile === undefined ? programsOf(vendor) : [boot.profile];
  for (const name of names) {
    const content = await engine.files.profile(name, node.id, variables);
    if (content !== undefined) return { body: content, headers: { 'Content-Type': 'text/plain; charset=utf-8' } };
  }
  throw noProgram(names);
}

/** A new switch that would get no program is not registered. @throws NodewrightError NOT_FOUND */
async function needProgram(engine: Engine, sent: SentIdentity & { switchVendor: SwitchVendor }): Promise<void> {
  const names = programsOf(sent.switchVendor);
  if (names.includes(SWITCH_PROFILE) || (await engine.discovery.identify(sent)) !== undefined) return;
  for (const name of names) if (await engine.files.get({ kind: 'profile', name, scope: null })) return;
  throw noProgram(names);
}

const noProgram = (names: readonly string[]) =>
  new NodewrightError('NOT_FOUND', `Profile not found: ${names.join(', ')}; upload it, or import a checkout of RackHD`);

/** Names of profiles, of which the first that exists is sent, unless the workflow on the switch names one. */
function programsOf(vendor: SwitchVendor): string[] {
  const { rackhd, runsShell } = traitsOfSwitch(vendor);
  return [...(rackhd === undefined ? [] : [rackhd.profile]), ...(runsShell ? [SWITCH_PROFILE] : [])];
}

export const switchProfileRoutes = [
  route({
    id: 'getSwitchProfile',
    summary: 'Get the program that a switch runs at zero-touch provisioning; registers and discovers an unknown switch',
    method: 'GET',
    path: '/profiles/switch/:vendor',
    resourceGroup: 'general',
    keyless: true,
    registers: true,
    writes: true,
    query: Type.Object({ mac: Type.Optional(Type.String({ maxLength: 64 })) }),
    answer: { status: 200, schema: Type.String(), contentType: 'text/plain' },
    rejections: { 404: 'There is no program for its vendor', 429: 'The limit of new nodes is reached' },
    handle: (call) => switchProfile(call as Call<SwitchQuery>),
  }),
];
