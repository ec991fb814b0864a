/**
 * A campaign: daemons and services die at random under a mixed load, and invariants must hold.
 *
 * 1. The seed determines the launches and the faults; their timing depends on the machine.
 * 2. Every workflow ends in a way that its kind allows, with the side effects in the external ledger; no once activity
 *    runs twice.
 * 3. Listeners receive every start and end, each under one id.
 * 4. Rollouts launch each target once, within their limits, and stop at their gates (`rollouts.ts`).
 * 5. No client waits longer than 10 s for an answer, or gets a false 2xx.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Scope } from '../support/ava/scope.ts';
import { Fate } from './fate.ts';
import { Life } from './life.ts';
import { random } from './random.ts';
import { Rest } from './rest.ts';
import { Rollouts } from './rollouts.ts';
import { openScene, type Scene } from './scene.ts';

export interface Plan {
  /** Limits; the one that is reached first ends the killing. */
  minutes: number;
  kills: number;
  seed: number;
  /** One daemon without services. */
  isEmbedded?: boolean;
  /** Called every minute with the progress. */
  tell?: (line: string) => void;
}

export interface Outcome {
  scene: Scene;
  fate: Fate;
  life: Life;
  rollouts: Rollouts;
  seconds: number;
}

/** Number of concurrent workflows. */
const LIVES = 12;
/** Number of concurrent rollouts. */
const ROLLOUTS = 2;
const TELL_MS = 60_000;
const EVENTS_MS = 30_000;

/** @param signal ends it early, with the daemons running and nothing checked */
export async function campaign(scope: Scope, plan: Plan, signal: AbortSignal): Promise<Outcome> {
  const scene = await openScene(scope, plan.isEmbedded ?? false);
  const [fate, life] = [new Fate(scene, plan.kills), new Life(scene)];
  const rollouts = new Rollouts(scene, life);
  const began = performance.now();
  let shown = 0;
  const progress = setInterval(() => {
    const { total, lines } = scene.findings;
    plan.tell?.(`${fate.count} kills, ${life.known.size} workflows, ${total} wrong`);
    // A campaign that reaches its timeout has no report.
    if (total > shown) for (const line of lines) plan.tell?.(line);
    shown = total;
  }, TELL_MS);
  try {
    await storm({ scene, fate, life, rollouts }, plan, signal);
    const seconds = (performance.now() - began) / 1_000;
    plan.tell?.(`${fate.count} kills in ${Math.round(seconds)} s; the remaining workflows are checked`);
    await new Rest(scene, life).finish();
    await life.tryNodes();
    await checkLedger(scene);
    await checkEvents(scene, life.known);
    return { scene, fate, life, rollouts, seconds };
  } finally {
    clearInterval(progress);
  }
}

/** Runs load and faults until a limit is reached; then the load ends normally. */
async function storm(
  { scene, fate, life, rollouts }: Omit<Outcome, 'seconds'>,
  { minutes, seed }: Plan,
  signal: AbortSignal,
): Promise<void> {
  // Not AbortSignal.any with a timeout: Node 20 may garbage-collect it, so that it never fires.
  const over = new AbortController();
  const end = () => over.abort();
  const timer = setTimeout(end, minutes * 60_000);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  const going = () => !over.signal.aborted;
  const lives = Array.from({ length: LIVES }, (_, n) => life.run(random(seed, 1_000 + n), going));
  const many = Array.from({ length: ROLLOUTS }, (_, n) => rollouts.run(random(seed, 2_000 + n), going));
  const load = Promise.all([...lives, ...many, new Rest(scene, life).run(over.signal)]);
  load.catch(end);
  const fates = scene.members.map((member, n) => fate.run(member, random(seed, n), over.signal).finally(end));
  // No daemon may be starting when the campaign ends.
  const befallen = await Promise.allSettled(fates);
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  for (const one of befallen) if (one.status === 'rejected') throw one.reason;
  signal.throwIfAborted();
  await load;
}

async function checkLedger({ once, findings }: Scene): Promise<void> {
  await once.refresh();
  for (const line of once.doubled) findings.add('doubled', `${line} was written ${once.count(line)} times`);
}

async function checkEvents({ events, findings }: Scene, known: ReadonlySet<string>): Promise<void> {
  for (const until = Date.now() + EVENTS_MS; events.missing(known).length > 0 && Date.now() < until; ) {
    await pause(100);
  }
  for (const text of [...events.missing(known), ...events.split]) findings.add('events', text);
}
