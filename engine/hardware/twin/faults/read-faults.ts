/**
 * Reads a file of faults, one a line:
 *
 *     at 120 s: bmc r03s07 silent 40 s
 *     rate bmc silent 1 % for 40 s      # of the BMCs, at any moment
 */
import {
  type EventFault,
  type FaultPlan,
  type LastingFault,
  type NextFault,
  nextFaults,
  type RatedFault,
  type TimedFault,
} from './fault.ts';

/** A wrong line. */
export class FaultLineError extends Error {
  readonly line: number;

  constructor(line: number, problem: string) {
    super(problem);
    this.line = line;
  }
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };
const duration = '(\\d+(?:\\.\\d+)?) ?(ms|s|min|h)';
const machine = '([A-Za-z0-9._-]{1,64})';

/** `needs`: it has to have a time; `takes`: it may have one. */
type TimeRule = 'needs' | 'takes' | 'none';

const forms: readonly { pattern: RegExp; kind: LastingFault | NextFault | EventFault; time: TimeRule }[] = [
  ...(['silent', 'slow', '503'] as const).map((kind) => formOf(`bmc ${machine} ${kind}`, kind, 'needs')),
  ...(['wrong password', ...nextFaults] as const).map((kind) => formOf(`bmc ${machine} ${kind}`, kind, 'takes')),
  ...(['missing', 'swapped'] as const).map((kind) =>
    formOf(`drive (${machine.slice(1, -1)}/(?:sd[a-z]|nvme\\d+n1)) ${kind}`, kind, 'none'),
  ),
  formOf(`drive (${machine.slice(1, -1)}/(?:sd[a-z]|nvme\\d+n1)) slow`, 'slow drive', 'none'),
  formOf(`drive (${machine.slice(1, -1)}/(?:sd[a-z]|nvme\\d+n1)) update fails`, 'update fails', 'takes'),
  formOf(`memory ${machine} bad`, 'bad memory', 'none'),
  formOf(`cpu ${machine} hot`, 'hot', 'none'),
  formOf(`agent ${machine} dies`, 'dies', 'none'),
  formOf(`address ${machine} changes`, 'changes', 'none'),
  formOf(`notifications ${machine} twice`, 'twice', 'none'),
  formOf(`clock ${machine}`, 'clock', 'needs'),
  formOf(`pdu ${machine} down`, 'down', 'needs'),
  formOf(`pdu ${machine} silent`, 'pdu silent', 'needs'),
];

function formOf(text: string, kind: LastingFault | NextFault | EventFault, time: TimeRule) {
  return { pattern: new RegExp(`^${text}(?: ${duration})?$`), kind, time };
}

const examples = 'at 120 s: bmc r01s01 silent 40 s, or rate bmc silent 1 % for 40 s';

/** @throws FaultLineError at the first wrong line */
export function readFaults(text: string): FaultPlan {
  const timed: TimedFault[] = [];
  const rated: RatedFault[] = [];
  text.split('\n').forEach((raw, at) => {
    const said = raw.replace(/#.*/, '').replace(/\s+/g, ' ').trim();
    if (said === '') return;
    if (said.startsWith('rate ')) rated.push(ratedFault(said, at + 1));
    else timed.push(timedFault(said, at + 1));
  });
  return { timed, rated };
}

const msOf = (amount = '', unit = ''): number => Number(amount) * (unitMs[unit] ?? 0);

function timedFault(said: string, line: number): TimedFault {
  const [, amount, unit, fault = ''] = new RegExp(`^at ${duration}: ?(.*)$`).exec(said) ?? [];
  if (amount === undefined) throw new FaultLineError(line, `found '${said.slice(0, 80)}'; expected ${examples}`);
  for (const { pattern, kind, time } of forms) {
    const [whole, target = '', length, lengthUnit] = pattern.exec(fault) ?? [];
    if (whole === undefined) continue;
    if (time === 'needs' && length === undefined)
      throw new FaultLineError(line, `'${fault}' needs a time, such as 40 s`);
    if (time === 'none' && length !== undefined) throw new FaultLineError(line, `'${kind}' takes no time`);
    if (length !== undefined && !(msOf(length, lengthUnit) > 0))
      throw new FaultLineError(line, 'the time is 0; expected more');
    return {
      line,
      kind,
      target,
      at: msOf(amount, unit),
      ...(length !== undefined && { ms: msOf(length, lengthUnit) }),
    };
  }
  throw new FaultLineError(line, `unknown fault '${fault.slice(0, 80)}'; the page of nw twin lists them`);
}

const rateForm = new RegExp(
  `^rate bmc (silent|slow|503|wrong password|${nextFaults.join('|')}) (\\d+(?:\\.\\d+)?) ?% for ${duration}$`,
);

function ratedFault(said: string, line: number): RatedFault {
  const [, kind, percent, amount, unit] = rateForm.exec(said) ?? [];
  if (kind === undefined) throw new FaultLineError(line, `found '${said.slice(0, 80)}'; expected ${examples}`);
  if (Number(percent) > 100) throw new FaultLineError(line, `the rate is ${percent} %; expected at most 100`);
  if (!(msOf(amount, unit) > 0)) throw new FaultLineError(line, 'the time is 0; expected more');
  return { line, kind: kind as RatedFault['kind'], share: Number(percent) / 100, ms: msOf(amount, unit) };
}
