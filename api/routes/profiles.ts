/** /profiles: what a node that boots over the network does now; one that nobody knows is made and discovered. */
import { Type } from 'typebox';
import type { Arrived, Engine, Sender, Sent, TemplateTask } from '../../engine/api-port/index.ts';
import { invalid, NodewrightError } from '../../engine/define/errors.ts';
import { macOf } from '../../engine/define/mac.ts';
import { INTRODUCTION, image, profileOf, reachedAt } from '../boot.ts';
import { found } from '../refusals.ts';
import { type Call, type Reply, route } from '../route.ts';

const IP = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f:.]{2,45})$/;
/** Of one machine. */
const ADDRESSES = 64;

const several = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: ADDRESSES })]);

interface Asked {
  macs?: string | string[];
  ips?: string | string[];
}

/** Given more than once, or with commas between. */
const listed = (given: string | string[] = []): string[] =>
  [given]
    .flat()
    .flatMap((each) => each.split(','))
    .map((each) => each.trim());

/** @throws NodewrightError INVALID */
function addresses({ macs, ips }: Asked): { macs: string[]; ips: string[] } {
  const given = listed(macs).filter((mac) => mac !== '');
  const all = given.flatMap((mac) => macOf(mac) ?? []);
  const wrong = given.findIndex((mac) => macOf(mac) === undefined);
  if (wrong >= 0) throw invalid('macs', `has as number ${wrong + 1} what is no MAC`);
  if (all.length > ADDRESSES) throw invalid('macs', `has ${all.length} MACs, expected ${ADDRESSES} at most`);
  const own = listed(ips);
  if (own.some((ip) => ip !== '' && !IP.test(ip))) throw invalid('ips', 'has what is no IP');
  return { macs: all, ips: own };
}

const NO_CALLBACKS: TemplateTask = { callback: null, callbacks: {} };

/** A sender that is not given the node's key is given no callbacks either. */
function mayCallBack({ engine, sender }: Call<Asked>, boot: unknown, nodeKey: string | null): boolean {
  if (nodeKey !== null || (sender !== undefined && sender.key !== null)) return true;
  return !boot && engine.config.southboundKeys === 'accept';
}

async function profile(call: Call<Asked>): Promise<Reply> {
  const { engine, query, origin, address, sender } = call;
  if (origin === undefined) throw invalid('Host', 'has to say how this daemon is reached');
  const { macs, ips } = addresses(query);
  const sent = { macs, ips, from: address };
  const arrived = macs.length === 0 ? null : await arrive(engine, sent, sender);
  const boot = arrived === null ? undefined : await bootOf(engine, arrived);
  const name = arrived === null ? INTRODUCTION : profileOf(boot);
  const nodeKey = arrived && boot ? await engine.southbound.keyFor(arrived.id, boot.workflow, sent) : null;
  const hidden = arrived !== null && !mayCallBack(call, boot, nodeKey) ? { task: NO_CALLBACKS } : {};
  const variables = { ...reachedAt(origin), ...image(boot, origin), nodeKey: nodeKey ?? '', ...hidden };
  const made = await engine.files.profile(name, arrived?.id ?? null, variables);
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  return { status: 200, body: found(made, () => noProfile(name)), headers };
}

async function arrive(engine: Engine, sent: Sent, sender: Sender | undefined): Promise<Arrived> {
  if (sender !== undefined) await engine.southbound.admitArrival(sender, () => engine.discovery.known(sent));
  return engine.discovery.arrive(sent);
}

/** One that is early waits: what is installed may be nothing, and nobody would look at it then. */
async function bootOf(engine: Engine, { id, isEarly }: Arrived) {
  const boot = await engine.agents.boot(id);
  return boot === undefined && isEarly ? null : boot;
}

const noProfile = (name: string) =>
  new NodewrightError('NOT_FOUND', `Profile not found: ${name}; put it, or launch with another option 'profile'`);

export const profileRoutes = [
  route({
    id: 'getProfile',
    summary: 'Get what a node boots now, as an iPXE script; a node that is new is made and discovered',
    method: 'GET',
    path: '/profiles',
    area: 'general',
    keyless: true,
    writes: true,
    query: Type.Object({ macs: Type.Optional(several), ips: Type.Optional(several) }),
    answer: { status: 200, schema: Type.String(), contentType: 'text/plain' },
    refusals: { 429: 'As many new nodes were made as may be' },
    handle: (call) => profile(call as Call<Asked>),
  }),
];
