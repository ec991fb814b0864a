/** Moves and spans of time, in words. */
import type { PlayMove } from '../../../../engine/api-port/index.ts';
import { duration } from '../../../client/times.ts';

const SHORT = 60;

function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}

export function moveText(move: PlayMove): string {
  switch (move.do) {
    case 'end':
      return move.output === undefined
        ? `${move.label} succeeds`
        : `${move.label} succeeds with ${valueText(move.output)}`;
    case 'fail':
      return `${move.label} fails with ${move.code ?? 'TASK_FAILED'}`;
    case 'notify':
      return `the node notifies ${valueText(move.data ?? {})}${move.label === undefined ? '' : ` to ${move.label}`}`;
    case 'advance':
      return `${spanText(move.ms)} pass`;
    case 'cancel':
      return 'the workflow is cancelled';
    case 'crash':
      return 'the daemon dies, and another one continues';
    default:
      return 'an unknown move';
  }
}

/** Below a second in ms. */
export const spanText = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : duration(ms));

/** The arguments of `nw simulate` that lead to the same end; undefined: it has none for some of the moves. */
export function nwCommand(graph: string, moves: readonly PlayMove[]): string | undefined {
  const ends = new Map<string, string[]>();
  const notifications: string[] = [];
  for (const move of moves) {
    if (move.do === 'end' || move.do === 'fail') {
      // A list of ends has no outputs.
      if (move.do === 'end' && move.output !== undefined) return undefined;
      const end = move.do === 'end' ? 'ok' : (move.code ?? 'fail');
      ends.set(move.label, [...(ends.get(move.label) ?? []), end]);
    } else if (move.do === 'notify' && move.label === undefined) notifications.push(JSON.stringify(move.data ?? {}));
    else return undefined;
  }
  const parts = [
    ...[...ends]
      .filter(([, all]) => all.some((end) => end !== 'ok'))
      .map(([label, all]) => `--end ${quote(`${label}=${all.join(',')}`)}`),
    ...notifications.map((data) => `--notify ${quote(data)}`),
  ];
  return ['nw simulate', quote(graph), ...parts].join(' ');
}

/** For a shell. */
const quote = (text: string): string => (/^[\w.,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
