/** /profiles: the boot script of a network-booting node; an unknown machine is registered and discovered. */
import { isIP } from 'node:net';
import { Type } from 'typebox';
import type { Engine, RegisteredNode } from '../../engine/api-port/index.ts';
import { invalidInput, NodewrightError } from '../../engine/vocabulary/errors.ts';
import { macOf } from '../../engine/vocabulary/mac.ts';
import { INTRODUCTION, image, NO_CALLBACKS, profileOf, reachedAt } from '../http/boot.ts';
import { registerSender } from '../http/register-sender.ts';
import { requireFound, requireOrigin } from '../http/rejections.ts';
import { type BusyReply, type Call, type Reply, route } from '../http/route.ts';

/** Maximum MACs of one machine. */
const ADDRESSES = 64;

const several = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: ADDRESSES })]);

interface ProfileQuery {
  macs?: string | string[];
  ips?: string | string[];
}

/** Accepts repeated parameters and comma-separated values. */
const listOf = (given: string | string[] = []): string[] =>
  [given]
    .flat()
    .flatMap((each) => each.split(','))
    .map((each) => each.trim());

/** @throws NodewrightError INVALID */
function addresses({ macs, ips }: ProfileQuery): { macs: string[]; ips: string[] } {
  const given = listOf(macs).filter((mac) => mac !== '');
  const all = given.flatMap((mac) => macOf(mac) ?? []);
  const wrong = given.findIndex((mac) => macOf(mac) === undefined);
  if (wrong >= 0) throw invalidInput('macs', `contains an invalid MAC at position ${wrong + 1}`);
  if (all.length > ADDRESSES) throw invalidInput('macs', `has ${all.length} MACs, expected at most ${ADDRESSES}`);
  const addressList = listOf(ips);
  if (addressList.some((ip) => ip !== '' && isIP(ip) === 0))
    throw invalidInput('ips', 'contains an invalid IP address');
  return { macs: all, ips: addressList };
}

/** Callbacks require the node's key, except in accept mode while the node has nothing to boot. */
function mayCallBack({ engine, sender }: Call<ProfileQuery>, boot: unknown, nodeKey: string | null): boolean {
  if (nodeKey !== null || (sender !== undefined && sender.key !== null)) return true;
  return !boot && engine.config.southboundKeys === 'accept';
}

async function profile(call: Call<ProfileQuery>): Promise<Reply> {
  const { engine, query, address, sender } = call;
  const origin = requireOrigin(call.origin);
  const { macs, ips } = addresses(query);
  const sent = { macs, ips, from: address };
  const node = macs.length === 0 ? null : await registerSender(engine, sent, sender);
  const boot = node === null ? undefined : await bootOf(engine, node);
  const name = node === null ? INTRODUCTION : profileOf(boot);
  const nodeKey = node && boot ? await engine.southbound.keyFor(node.id, boot.workflow, sent) : null;
  const hidden = node !== null && !mayCallBack(call, boot, nodeKey) ? { task: NO_CALLBACKS } : {};
  const variables = { ...reachedAt(origin), ...image(boot, origin), nodeKey: nodeKey ?? '', ...hidden };
  return renderScript(engine, name, node?.id ?? null, variables);
}

async function renderScript(
  engine: Engine,
  name: string,
  node: string | null,
  variables: Record<string, unknown>,
): Promise<Reply> {
  const content = await engine.files.profile(name, node, variables);
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  return { status: 200, body: requireFound(content, () => noProfile(name)), headers };
}

/** A machine that gets an error boots something else, and is not discovered. */
const askLater: BusyReply = (engine, origin) => renderScript(engine, profileOf(null), null, reachedAt(origin));

/** A machine whose discovery has not begun gets the wait profile: a local boot could fail and end there. */
async function bootOf(engine: Engine, { id, isEarly }: RegisteredNode) {
  const boot = await engine.agents.boot(id);
  return boot === undefined && isEarly ? null : boot;
}

const noProfile = (name: string) =>
  new NodewrightError('NOT_FOUND', `Profile not found: ${name}; upload it, or launch with another option 'profile'`);

export const profileRoutes = [
  route({
    id: 'getProfile',
    summary: 'Get the current iPXE boot script of a node; registers and discovers an unknown machine',
    method: 'GET',
    path: '/profiles',
    resourceGroup: 'general',
    keyless: true,
    registers: true,
    busyReply: askLater,
    writes: true,
    query: Type.Object({ macs: Type.Optional(several), ips: Type.Optional(several) }),
    answer: { status: 200, schema: Type.String(), contentType: 'text/plain' },
    rejections: { 429: 'The limit of new nodes is reached' },
    handle: (call) => profile(call as Call<ProfileQuery>),
  }),
];
