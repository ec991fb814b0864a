/** A baseline as it is edited: a line for each component and each attribute, all values as texts. */
import type { ApplyTime } from '../../../../engine/vocabulary/apply-times.ts';
import type { PostBody } from '../../../client/requests.ts';
import { nextLineKey } from '../../parts/line-key.ts';
import type { Baseline } from './shown-baseline.ts';

type Component = Baseline['firmware'][number];

export interface ComponentLine {
  /** Identifies the line, in the page only. */
  key: number;
  component: string;
  version: string;
  /** The URL of an image, or the name of a stored file; '': it is compared only. */
  source: string;
  /** '': the BMC decides. */
  applyTime: string;
  /** Hash of the stored file; '': any file. */
  sha256: string;
}

export interface SettingLine {
  key: number;
  name: string;
  /** JSON, or a text. */
  value: string;
}

export const emptyComponent = (): ComponentLine => ({
  key: nextLineKey(),
  component: '',
  version: '',
  source: '',
  applyTime: '',
  sha256: '',
});

export const emptySetting = (): SettingLine => ({ key: nextLineKey(), name: '', value: '' });

export const componentLines = (firmware: Baseline['firmware']): ComponentLine[] =>
  firmware.map(({ image, file, ...given }) => ({ ...emptyComponent(), ...given, source: image ?? file ?? '' }));

export const settingLines = (bios: Baseline['bios']): SettingLine[] =>
  Object.entries(bios).map(([name, value]) => ({ ...emptySetting(), name, value: settingText(value) }));

/** A text that would be read as another value is quoted. */
const settingText = (value: unknown): string =>
  typeof value === 'string' && typeof settingOf(value) === 'string' ? value : JSON.stringify(value);

function settingOf(text: string): string | number | boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  } catch {
    // A text without quotes.
  }
  return text;
}

const isUrl = (source: string): boolean => /^[a-z]+:\/\//.test(source);

function componentOf({ applyTime, sha256, ...line }: ComponentLine): Component {
  const [component, version, source] = [line.component.trim(), line.version.trim(), line.source.trim()];
  return {
    component,
    version,
    ...(source !== '' && (isUrl(source) ? { image: source } : { file: source })),
    ...(sha256 !== '' && { sha256 }),
    ...(applyTime !== '' && { applyTime: applyTime as ApplyTime }),
  };
}

const isEmpty = (...texts: string[]): boolean => texts.every((text) => text.trim() === '');

/**
 * Empty lines are left out; the daemon rejects those without a name.
 * @throws Error for two lines of one attribute
 */
export function enteredContent(
  components: readonly ComponentLine[],
  settings: readonly SettingLine[],
): Required<Pick<PostBody<'/baselines'>, 'firmware' | 'bios'>> {
  const entries = settings.flatMap((line) =>
    isEmpty(line.name, line.value) ? [] : [[line.name.trim(), settingOf(line.value)] as const],
  );
  const bios = Object.fromEntries(entries);
  if (Object.keys(bios).length < entries.length) throw new Error('An attribute has two lines; remove one of them');
  const firmware = components.filter(({ component, version, source }) => !isEmpty(component, version, source));
  return { firmware: firmware.map(componentOf), bios };
}
