/** The output of tools of flash memory: AMI's `afulnx_64 /S`, and Intel's `flashupdt -i`. The keys are those of RackHD's catalogs. */
import { indentedObject } from './indented-text.ts';

const ROM = /^- System ROM (ID|GUID|Secure Flash) = (.*)$/gm;
const romKeys: Readonly<Record<string, string>> = {
  ID: 'systemRomId',
  GUID: 'systemRomGuid',
  'Secure Flash': 'systemRomSecureFlash',
};

/** @returns empty if there is no line of the ROM */
export const romFacts = (text: string): Record<string, unknown> =>
  Object.fromEntries([...text.matchAll(ROM)].map(([, name = '', value = '']) => [romKeys[name], value.trim()]));

/** Sections from the version of the BIOS to the last line; keys end with a colon and dots. */
export function versionSections(text: string): Record<string, unknown> {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith('BIOS Version Information'));
  const last = lines.findLastIndex((line) => line.startsWith('Successfully Completed'));
  const sections = first < 0 ? [] : lines.slice(first, last < 0 ? undefined : last);
  const pairs = sections.filter((line) => !line.startsWith('---')).map((line) => line.replace(/:\.+ ?/, ' : '));
  return indentedObject(pairs, ' : ', ':');
}
