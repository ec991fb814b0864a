/**
 * Groups of tests that share a process (`support/ava/together.ts`) in a run of whole tiers. AVA starts one process for each
 * file that it is given: the first file of a group, which here has a program that loads all of them.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { putFolder } from './put-folder.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Files of a group, which share what loading the sources costs. Those that start daemons take several times as long as others. */
export const MOST_FILES = { ofOneProcess: 16, withDaemons: 6, withDaemonsInRotation: 3 };
/** Files of a group that is left to later runs as a whole: many of them would start long before the others end. */
const MOST_LEFT = 6;
/** Seconds before the end of the starts, at which long tests start at the latest. */
const LONG_SECONDS = 200;

/** Tests that change or measure their process are alone in it. */
const OWN_PROCESS =
  /process\.(env\.\w+ = |env\[|chdir|umask|memoryUsage|cpuUsage|resourceUsage|on\(|once\(|exitCode|stdout|title|emitWarning)|delete process|mock\.|monitorEventLoopDelay|global\.gc|setFlagsFromString|globalThis|\.register\(\)|includedDefinitions\(\)/;

/**
 * @param order `tests`: paths such as `test/api/login.test.ts`, in the order in which they should start; `long`: those that start
 *   early, in their own order; `always` and `last`: those that are never left, and those that start last, in a run that has to end
 *   (`rotationOf` in `tiers.mjs`). Each long or last one is alone in its process
 * @param most files of a group
 * @returns lists of tests of one folder
 */
export async function groupsOf({ tests, long, always, last }, most) {
  const groups = [];
  const open = new Map();
  for (const test of tests.filter((test) => !long.includes(test) && !last?.includes(test))) {
    const folder = sharedFolder(test);
    const isAlone = folder === 'test' || OWN_PROCESS.test(await readFile(join(root, test), 'utf8'));
    const isLeft = always?.includes(test) === false;
    const group = isAlone ? undefined : open.get(`${isLeft} ${folder}`);
    if (group !== undefined && group.length < (isLeft ? Math.min(most, MOST_LEFT) : most)) {
      group.push(test);
      continue;
    }
    const added = [test];
    groups.push(added);
    if (!isAlone) open.set(`${isLeft} ${folder}`, added);
  }
  // Short ones fill the gaps at the end.
  if (last === undefined) groups.sort((one, other) => other.length - one.length);
  // Every other one: several long ones at a time would only compete for the processors, or only wait.
  const mixed = [...long.flatMap((test, n) => [[test], ...groups.slice(n, n + 1)]), ...groups.slice(long.length)];
  return [...mixed, ...(last ?? []).map((test) => [test])];
}

/** @returns `test/api`, or `test/engine/durable` for all below it */
const sharedFolder = (test) => dirname(test).split('/').slice(0, 3).join('/');

/** Writes the programs of the groups. @param build folder of all tests @returns their own folder */
export async function writeGroups(groups, build, rotation) {
  const name = `groups-${createHash('sha256')
    .update(JSON.stringify([groups, rotation]))
    .digest('hex')
    .slice(0, 16)}`;
  const folder = join(build, name);
  if (existsSync(join(root, folder))) return folder;
  const programs = groups.map((group) => [builtFile(group[0]), programOf(group, build, folder, rotation)]);
  await putFolder(join(root, folder), programs);
  return folder;
}

const builtFile = (test) => relative('test', test).replace(/\.ts$/, '.js');

function programOf(group, build, folder, rotation) {
  const from = dirname(join(folder, builtFile(group[0])));
  const imported = (file) => JSON.stringify(relative(from, join(build, file)));
  const rotates = rotation !== undefined && !group.some((test) => rotation.always.includes(test));
  if (group.length === 1 && !rotates) return `import ${imported(builtFile(group[0]))};\n`;
  const files = group.map((test) => {
    const file = builtFile(test);
    return `  ${JSON.stringify(file.replace(/\.test\.js$/, ''))}: () => import(${imported(file)}),\n`;
  });
  const earlier = rotation?.last.includes(group[0]) ? LONG_SECONDS : 0;
  const [program, more] = rotates ? ['inRotation', `, ${earlier}`] : ['together', ''];
  return `import { ${program} } from ${imported('support/ava/together.js')};\n\nawait ${program}({\n${files.join('')}}${more});\n`;
}
