/** Shows what a rehearsal found, in the order in which an operator asks. */
import type { RehearsalReport } from '../../engine/api-port/rehearsals.ts';
import { duration } from '../client/times.ts';
import { EXIT } from './exit-codes.ts';
import type { NodeText } from './node-names.ts';
import { type OutputFormat, showAs } from './output.ts';
import { rejectionLines } from './rollout-view.ts';
import { printableText, say } from './terminal.ts';

type ShownReport = Pick<
  RehearsalReport,
  'basis' | 'runs' | 'durationMs' | 'phases' | 'failures' | 'gates' | 'windows' | 'peaks' | 'left' | 'rejections'
>;

/** The nodes whose names a report shows. */
export const reportedNodes = ({ peaks, rejections }: ShownReport): string[] => [
  ...peaks.map(({ parent }) => parent),
  ...rejections.map(({ node }) => node),
];

/**
 * The exit code is 1 if the rollout would probably stop.
 * @param value of the output as JSON
 */
export function showReport(report: ShownReport, value: unknown, format: OutputFormat, nameOf: NodeText): void {
  showAs(format, value, () => {
    for (const line of linesOf(report, nameOf)) say(printableText(line));
  });
  if (isDoubtful(report)) process.exitCode = EXIT.failed;
}

/** A gate trips in half of the runs, or a target would be rejected, or no opening has room for one. */
export const isDoubtful = ({ runs, gates, rejections, left }: ShownReport): boolean =>
  rejections.length > 0 || left > 0 || gates.some(({ trips }) => 2 * trips >= runs);

const basisText = {
  measured: "durations and failures of this site's earlier runs",
  models: 'durations of twins of servers, without failures: this site has fewer than ten runs',
};

function linesOf(report: ShownReport, nameOf: NodeText): string[] {
  const { basis, runs, durationMs, phases, failures, gates, windows, peaks, left, rejections } = report;
  return [
    `${runs} runs, with ${basisText[basis]}`,
    `takes ${duration(durationMs.p50)}, in one of ten runs more than ${duration(durationMs.p90)}`,
    ...(phases.length > 1 ? phases.flatMap(phaseLines) : []),
    ...failures.map(
      ({ code, message, p50, p90 }) => `${failuresText(p50)}, in nine of ten runs at most ${p90}: ${message} (${code})`,
    ),
    ...gates.map(
      ({ index, trips, at }) =>
        `gate ${index} trips in ${trips} of ${runs} runs, in phase ${at.phase} after ${duration(at.ms)}`,
    ),
    ...windows.map(
      ({ closedAt, tooShortMs }) => `the window that closes at ${closedAt} is ${duration(tooShortMs)} too short`,
    ),
    ...(left > 0 ? [leftText(left)] : []),
    ...peaks.map(({ relation, parent, running }) => `at most ${running} at a time: ${relation} ${nameOf(parent)}`),
    ...rejectionLines(rejections, nameOf),
  ];
}

const leftText = (count: number): string =>
  `${count} ${count === 1 ? 'target does' : 'targets do'} not begin: no opening of the window has room, or the node stays held`;

const failuresText = (count: number): string => `usually ${count} ${count === 1 ? 'failure' : 'failures'}`;

const phaseLines = ({ index, startedMs, finishedMs }: ShownReport['phases'][number]): string[] =>
  startedMs === null
    ? []
    : [
        `phase ${index} begins after ${duration(startedMs.p50)}${finishedMs === null ? ' and does not end' : `, ends after ${duration(finishedMs.p50)}`}`,
      ];
