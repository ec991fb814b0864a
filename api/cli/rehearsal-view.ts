/** Shows what a rehearsal found, in the order in which an operator asks. */
import type { RehearsalReport } from '../../engine/api-port/rehearsals.ts';
import { duration } from '../client/times.ts';
import { EXIT } from './exit-codes.ts';
import { type OutputFormat, showAs } from './output.ts';
import { printableText, say } from './terminal.ts';

type ShownReport = Pick<
  RehearsalReport,
  'basis' | 'runs' | 'durationMs' | 'phases' | 'failures' | 'gates' | 'windows' | 'peaks' | 'left' | 'rejections'
>;

/** The exit code is 1 if the rollout would probably stop. @param value of the output as JSON */
export function showReport(report: ShownReport, value: unknown, format: OutputFormat): void {
  showAs(format, value, () => {
    for (const line of linesOf(report)) say(printableText(line));
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

function linesOf({
  basis,
  runs,
  durationMs,
  phases,
  failures,
  gates,
  windows,
  peaks,
  left,
  rejections,
}: ShownReport): string[] {
  return [
    `${runs} runs, with ${basisText[basis]}`,
    `takes ${duration(durationMs.p50)}, in one of ten runs more than ${duration(durationMs.p90)}`,
    ...(phases.length > 1 ? phases.flatMap(phaseLines) : []),
    ...failures.map(
      ({ code, message, p50, p90 }) => `fails ${p50} times, at most ${p90} in nine of ten runs: ${code}: ${message}`,
    ),
    ...gates.map(
      ({ index, trips, at }) =>
        `gate ${index} trips in ${trips} of ${runs} runs, in phase ${at.phase} after ${duration(at.ms)}`,
    ),
    ...windows.map(
      ({ closedAt, tooShortMs }) => `the window that closes after ${closedAt} is ${duration(tooShortMs)} too short`,
    ),
    ...(left > 0 ? [`no opening of the window has room for ${left} targets`] : []),
    ...peaks.map(({ relation, parent, running }) => `at most ${running} at a time: ${relation} ${parent}`),
    ...rejections.map(({ node, code, message }) => `rejected on ${node}: ${code}: ${message}`),
  ];
}

const phaseLines = ({ index, startedMs, finishedMs }: ShownReport['phases'][number]): string[] =>
  startedMs === null
    ? []
    : [
        `phase ${index} begins after ${duration(startedMs.p50)}${finishedMs === null ? ' and does not end' : `, ends after ${duration(finishedMs.p50)}`}`,
      ];
