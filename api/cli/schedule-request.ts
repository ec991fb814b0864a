/**
 * A schedule as commands take it: a graph on nodes, with its due times; or the whole schedule as JSON, or its file. With an
 * option that only a rollout has, each due time starts a rollout, otherwise a launch.
 */
import { type Command, Option } from 'commander';
import type { NewSchedule, When } from '../../engine/api-port/schedules.ts';
import type { Client } from './client.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { isRecordText, jsonRecord, timeSpan } from './option-values.ts';
import { describingRollout, type RolloutFlags, rolloutOf } from './rollout-request.ts';

export interface ScheduleFlags extends RolloutFlags {
  cron?: string;
  zone?: string;
  /** ms. */
  every?: number;
  at?: string;
  overlap?: 'skip' | 'queue';
  missed?: 'run' | 'skip';
}

/** Adds the launch or rollout of a schedule to a command, and its due times. */
export const describingSchedule = (command: Command): Command =>
  describingRollout(command, 'by name; or the whole schedule as JSON, or its file')
    .option('--name <name>', 'of the schedule; by default that of the graph')
    .option('--cron <pattern>', 'due times: minute hour day month weekday, such as "30 2 * * sun"')
    .option('--zone <zone>', 'of --cron: an IANA zone, such as Europe/Berlin')
    .option('--every <time>', 'instead: an interval, from now on, such as 6h', timeSpan)
    .option('--at <time>', 'instead: once, such as 2026-12-01T22:00:00Z')
    .addOption(new Option('--overlap <what>', 'of a time that is due during the run before').choices(['skip', 'queue']))
    .addOption(new Option('--missed <what>', 'of times at which no daemon ran').choices(['run', 'skip']));

/** @returns a body that the daemon checks @throws CommandError as `rolloutOf`, and without one kind of due times */
export async function scheduleOf(
  client: Client,
  given: string,
  nodes: readonly string[],
  { name = given, cron, zone, every, at, overlap, missed, ...flags }: ScheduleFlags,
): Promise<NewSchedule> {
  if (isRecordText(given)) return jsonRecord(given) as unknown as NewSchedule;
  const when = whenOf({ cron, zone, every, at });
  const rollout = await rolloutOf(client, given, nodes, flags);
  const { graph, options, targets, ...pace } = rollout;
  const isLaunch = Object.keys(pace).length === 0 && targets.sample === undefined;
  const launch = { name: graph, ...targets, ...(options !== undefined && { options }) };
  return {
    name,
    when,
    ...(isLaunch ? { launch } : { rollout }),
    ...(overlap !== undefined && { overlap }),
    ...(missed !== undefined && { missed }),
  };
}

type Times = { [Key in 'cron' | 'zone' | 'every' | 'at']: ScheduleFlags[Key] | undefined };

function whenOf({ cron, zone, every, at }: Times): When {
  const kinds = [cron, every, at].filter((kind) => kind !== undefined);
  if (kinds.length !== 1)
    throw new CommandError(`found ${kinds.length} of --cron, --every and --at; expected one of them`, EXIT.usage);
  if (every !== undefined) return { everySec: Math.max(1, Math.round(every / 1_000)) };
  if (at !== undefined) return { at };
  if (cron !== undefined && zone !== undefined) return { cron, zone };
  throw new CommandError(
    'found --cron without --zone; expected the zone of its times, such as Europe/Berlin',
    EXIT.usage,
  );
}
