/** The drives that a plan destroys, and its effect on the power, in words: for the command line and the console. */
import type { ShownPlan } from './shown-plan.ts';
import { sizeText } from './size-text.ts';

type PlannedTask = ShownPlan['tasks'][number];
type DestroyedDrive = NonNullable<PlannedTask['drives']>[number];

export const isDestructive = ({ tasks }: ShownPlan): boolean => tasks.some(({ destructive }) => destructive);

const UNKNOWN_DRIVES = 'the drives are known when it runs';

/** Each drive once. `isWhole`: a task may destroy others, which only its run knows, if it is false. */
export function destroyedDrives({ tasks }: ShownPlan): { drives: DestroyedDrive[]; isWhole: boolean } {
  const drives = tasks.flatMap((task) => task.drives ?? []);
  const once = new Map(drives.map((drive) => [`${drive.name} ${drive.wwid ?? ''}`, drive]));
  return { drives: [...once.values()], isWhole: tasks.every((task) => task.drives !== null) };
}

/** `sdb: ST4000NM0035, serial number ZC11A2B3, 4 TB`; without these the name that never changes. */
function driveText({ name, model, serial, sizeBytes, wwid }: DestroyedDrive): string {
  const parts = [
    model,
    serial && `serial number ${serial}`,
    serial === null && wwid,
    sizeBytes === null ? 'unknown size' : sizeText(sizeBytes),
  ];
  return `${name}: ${parts.filter(Boolean).join(', ')}`;
}

/** Lines of text: each drive, and that there may be others. */
export function destructionTexts(plan: ShownPlan): string[] {
  const { drives, isWhole } = destroyedDrives(plan);
  return [...drives.map(driveText), ...(isWhole ? [] : [UNKNOWN_DRIVES])];
}

/** @returns undefined if the power stays as it is */
export function powerText({ tasks }: ShownPlan): string | undefined {
  const switching = tasks.filter(({ power }) => power !== null);
  if (switching.length === 0) return undefined;
  const effects = new Set(switching.map(({ power }) => power));
  const [only] = effects;
  const way = effects.size > 1 || only === 'cycle' ? 'off and on' : only;
  return `goes ${way} (${switching.map(({ label }) => label).join(', ')})`;
}
