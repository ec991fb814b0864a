/** The lines of a watched workflow on a terminal: one for each task. Pure. */

import type { WaitingOn } from '../../../engine/vocabulary/states.ts';
import { ago, duration } from '../../client/times.ts';
import { preciseDuration, remainingText } from '../../client/usual-time.ts';
import { waitWords } from '../../client/wait-words.ts';
import { colors, printableText } from '../terminal.ts';
import type { WorkflowTask } from '../workflow-of.ts';
import type { WatchState, WhyAnswer } from './watched-workflow.ts';

type Wait = WhyAnswer['waits'][number];

const BAR = 10;
/** Characters. */
const LABEL = 28;

/** A bar such as `[######----]  60%`. */
export function progressBar(share: number): string {
  const within = Math.min(1, Math.max(0, share));
  const filled = Math.round(within * BAR);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}] ${Math.round(within * 100)}%`;
}

/** @param now ms */
export function titleOf({ workflow, node, usual, away }: WatchState, now: number): string {
  const { injectableName, status, progress, startedAt, finishedAt } = workflow;
  const target = node === null ? '' : ` on ${printableText(node)}`;
  const parts = [`${printableText(injectableName)}${target}: ${status}`];
  if (finishedAt !== null)
    parts.push(`in ${preciseDuration(Date.parse(finishedAt) - Date.parse(startedAt ?? finishedAt))}`);
  else {
    parts.push(progressBar(progress.maximum === 0 ? 0 : progress.value / progress.maximum));
    if (startedAt !== null) parts.push(remainingText(usual, now - Date.parse(startedAt)));
  }
  if (away !== null) parts.push(colors.yellow(`no connection, tries again: ${printableText(away)}`));
  return parts.filter((part) => part !== '').join('  ');
}

export function taskLines({ workflow, why }: WatchState, icons: Icons, now: number): string[] {
  const { tasks } = workflow;
  const width = Math.min(LABEL, Math.max(...tasks.map(({ label }) => printableText(label).length), 0));
  return tasks.map((task) => {
    const wait = why?.waits.find(({ label }) => label === task.label);
    const label = printableText(task.label).padEnd(width);
    return `${iconOf(task, icons)} ${label}  ${detailsOf(task, wait, now).filter(Boolean).join('  ')}`.trimEnd();
  });
}

export type Icons = Record<'done' | 'failed' | 'open' | 'none', string>;

function iconOf({ state }: WorkflowTask, icons: Icons): string {
  if (state === 'succeeded') return colors.green(icons.done);
  if (state === 'failed' || state === 'timeout') return colors.red(icons.failed);
  return state === 'running' || state === 'waiting' ? colors.yellow(icons.open) : colors.dim(icons.none);
}

function detailsOf(task: WorkflowTask, wait: Wait | undefined, now: number): string[] {
  const { state, startedAt, finishedAt } = task;
  const elapsedMs =
    startedAt === null ? 0 : (finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(startedAt);
  if (state === 'running' || state === 'waiting')
    return [progressOf(task, wait, elapsedMs), ...openDetails(task, wait, now)];
  const took = startedAt !== null && finishedAt !== null ? preciseDuration(elapsedMs) : '';
  if (state === 'succeeded') return ['ok', took];
  return [state, attemptsOf(task), errorOf(task), took];
}

const attemptsOf = ({ attempts, maxAttempts }: WorkflowTask): string =>
  maxAttempts > 1 && attempts > 0 ? `${attempts}/${maxAttempts}` : '';

/** The error of the task, or of its last attempt. */
function errorOf({ error, attemptErrors }: WorkflowTask): string {
  const lastError = error ?? attemptErrors.at(-1);
  return lastError === undefined ? '' : printableText(`${lastError.message} (${lastError.code})`);
}

function openDetails(task: WorkflowTask, wait: Wait | undefined, now: number): string[] {
  const { waitingOn, state, dueAt, nextAttemptAt } = task;
  const due = dueAt === null || nextAttemptAt !== null ? '' : `, until ${clockTime(dueAt, now)}`;
  const nextMs = nextAttemptAt === null ? null : Math.max(0, Date.parse(nextAttemptAt) - now);
  const next = nextMs === null ? '' : `next attempt in ${duration(nextMs)}`;
  const wanted = waitingOn === null ? state : `waits for ${waitWords[waitingOn]}${due}`;
  const text = [waitingOn === 'retry' && next !== '' ? '' : wanted, next].filter(Boolean).join(', ');
  const detail = waitingOn !== null && explained.includes(waitingOn) ? printableText(wait?.detail ?? '') : '';
  return [text, attemptsOf(task), errorOf(task), detail];
}

/** Reasons of waits for which the daemon's sentence says more than the reason. */
const explained: readonly WaitingOn[] = ['command', 'child', 'bmc', 'lease', 'held'];

/** The local time; of another day with its date. */
function clockTime(at: string, now: number): string {
  const date = new Date(at);
  const time = date.toTimeString().slice(0, 8);
  return date.toDateString() === new Date(now).toDateString() ? time : `${date.toLocaleDateString('sv')} ${time}`;
}

/** As the node reported it, else by the usual time. */
function progressOf({ progress, startedAt }: WorkflowTask, wait: Wait | undefined, elapsedMs: number): string {
  const usual = wait?.usualMs ?? null;
  if (progress !== null && progress.maximum > 0) {
    const description = printableText(progress.description);
    return [progressBar(progress.value / progress.maximum), description].filter(Boolean).join('  ');
  }
  if (startedAt === null) return '';
  if (usual === null || usual.p50 <= 0) return ago(startedAt, Date.parse(startedAt) + elapsedMs);
  return `${progressBar(Math.min(0.99, elapsedMs / usual.p50))}  ${remainingText(usual, elapsedMs)}`;
}
