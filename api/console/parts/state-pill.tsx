/** A state as it is shown everywhere: an icon, a word, and the color of both. */

import circleIcon from 'lucide-static/icons/circle.svg';
import succeededIcon from 'lucide-static/icons/circle-check.svg';
import pendingIcon from 'lucide-static/icons/circle-dashed.svg';
import skippedIcon from 'lucide-static/icons/circle-minus.svg';
import pausedIcon from 'lucide-static/icons/circle-pause.svg';
import runningIcon from 'lucide-static/icons/circle-play.svg';
import unknownIcon from 'lucide-static/icons/circle-question-mark.svg';
import cancelledIcon from 'lucide-static/icons/circle-slash-2.svg';
import failedIcon from 'lucide-static/icons/circle-x.svg';
import waitingIcon from 'lucide-static/icons/clock.svg';
import heldIcon from 'lucide-static/icons/lock.svg';
import powerIcon from 'lucide-static/icons/power.svg';
import powerOffIcon from 'lucide-static/icons/power-off.svg';
import warningIcon from 'lucide-static/icons/triangle-alert.svg';
import type { ComponentChildren } from 'preact';
import { stateNow, type Tone, toneOf, type WorkflowState, wordOf } from '../data/shown-states.ts';
import { Icon, type IconShapes } from './icon.tsx';

const icons: Record<Tone, IconShapes> = {
  running: runningIcon,
  waiting: waitingIcon,
  succeeded: succeededIcon,
  failed: failedIcon,
  cancelled: cancelledIcon,
  held: pausedIcon,
};

/** States that have an icon of their own within their tone. */
const iconByState: Record<string, IconShapes> = {
  pending: pendingIcon,
  skipped: skippedIcon,
  unknown: unknownIcon,
  free: circleIcon,
  warning: warningIcon,
  differs: warningIcon,
  held: heldIcon,
  on: powerIcon,
  off: powerOffIcon,
};

export const stateIcon = (state: string): IconShapes => iconByState[state] ?? icons[toneOf(state)];

/** @param text instead of the state's own word */
export function StatePill({ of, text = wordOf(of) }: { of: string; text?: ComponentChildren }) {
  return (
    <span class={`pill ${toneOf(of)}`}>
      <Icon of={stateIcon(of)} /> {text}
    </span>
  );
}

export const WorkflowPill = ({ of }: { of: WorkflowState }) => <StatePill of={stateNow(of)} />;
