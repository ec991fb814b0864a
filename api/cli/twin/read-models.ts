/** The models of a twin's machines: all that ship, or those that a file names. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Model } from '../../../engine/hardware/twin/machine/model.ts';
import { ModelFileError, readModel, shippedModels, switchModels } from '../../../engine/hardware/twin/read-model.ts';
import { readMockup } from '../../../engine/hardware/twin/recorded/mockup-folder.ts';
import { modelOfTree } from '../../../engine/hardware/twin/recorded/recorded-model.ts';
import { listIn } from '../../../engine/vocabulary/json.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

/** More machines than models repeat them in their order. */
const MODELS_MAX = 100;

/**
 * @param file a JSON list of names of models that ship, of files of models, and of folders of `nw bmc record`; absent: all
 * servers that ship
 * @throws CommandError
 */
export function readModels(file: string | undefined): Model[] {
  const shipped = shippedModels();
  if (file === undefined) return [...shipped.values()];
  const named = new Map([...shipped, ...switchModels()]);
  return namesIn(file).map((name) => {
    const model = named.get(name);
    if (model !== undefined) return model;
    const place = resolve(dirname(file), name);
    const isFolder = existsSync(place) && statSync(place).isDirectory();
    if (!isFolder && !name.endsWith('.json')) {
      const names = [...named.keys()].join(', ');
      throw usage(
        `${file}: found the model ${name}; expected ${names}, a file of a model, or a folder of nw bmc record`,
      );
    }
    try {
      return isFolder ? modelOfTree(readMockup(place), basename(place)) : readModel(readFileSync(place, 'utf8'), place);
    } catch (error) {
      throw usage(error instanceof ModelFileError ? error.message : `${place}: ${messageOf(error)}`);
    }
  });
}

function namesIn(file: string): string[] {
  let names: unknown;
  try {
    names = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw usage(`${file}: ${messageOf(error)}; expected a JSON list of models`);
  }
  const list = listIn(names);
  if (list.length > 0 && list.length <= MODELS_MAX && list.every((name) => typeof name === 'string')) return list;
  throw usage(`${file}: expected a JSON list of 1 to ${MODELS_MAX} names of models, or of their files`);
}

const usage = (message: string) => new CommandError(message, EXIT.usage);
