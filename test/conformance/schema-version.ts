/** Rules of the schema version, wherever its number is stored. */
import type { ExecutionContext } from 'ava';
import {
  checkSchemaVersion,
  prepareSchema,
  type SchemaMark,
  type SchemaUpgrade,
} from '../../engine/platform/store/schema-version.ts';

type Declare = (title: string, implementation: (t: ExecutionContext) => Promise<unknown>) => void;

/** The version of the program in these tests. */
const OWN = 4;
const alone = async () => false;

/** @param prepare makes a store without a number, and returns its mark */
export function schemaConformance(test: Declare, kind: string, prepare: () => Promise<SchemaMark>): void {
  /** Upgrades to 3 and to 4 that record their runs, and a start with them. */
  async function program() {
    const mark = await prepare();
    const ran: number[] = [];
    const step =
      (to: number): SchemaUpgrade =>
      async () =>
        void ran.push(to);
    const upgrades = { 3: step(3), 4: step(4) };
    const start = (others = alone, expected = OWN, own = mark) =>
      prepareSchema([{ mark: own, upgrades }], others, expected);
    return { mark, ran, start };
  }

  test(`${kind}: a store without a number is upgraded from version 1, once`, async (t) => {
    const { mark, ran, start } = await program();
    t.is(await mark.read(), undefined);
    await start();
    t.deepEqual(ran, [3, 4]);
    const { number, from } = (await mark.read()) ?? {};
    t.deepEqual([number, from], [OWN, undefined]);
    await start();
    t.deepEqual(ran, [3, 4]);
  });

  test(`${kind}: a store of the version before gets only the upgrades that are missing`, async (t) => {
    const { mark, ran, start } = await program();
    await start(alone, 3);
    t.deepEqual(ran, [3]);
    await start();
    t.deepEqual(ran, [3, 4]);
    t.is((await mark.read())?.number, OWN);
  });

  test(`${kind}: a newer store is rejected and left unchanged`, async (t) => {
    const { mark, ran, start } = await program();
    await start(alone, OWN + 1);
    ran.length = 0;
    const error = { code: 'SCHEMA_NEWER', message: /has schema version 5 of a newer nodewright, expected at most 4; / };
    await t.throwsAsync(() => start(), error);
    await t.throwsAsync(() => checkSchemaVersion(mark, OWN), error);
    t.deepEqual(ran, []);
    t.is((await mark.read())?.number, OWN + 1);
  });

  test(`${kind}: while an upgrade is unfinished, an older daemon is rejected and the next newer one repeats it`, async (t) => {
    for (let dies = 0; dies < 5; dies += 1) {
      const { mark, ran, start } = await program();
      await start(alone, 2);
      let calls = 0;
      const call = async (work: () => Promise<void>) => {
        if (calls === dies) throw new Error('killed');
        calls += 1;
        await work();
      };
      const dying = prepareSchema(
        [
          {
            mark: {
              ...mark,
              begin: (to, from) => call(() => mark.begin(to, from)),
              finish: (to) => call(() => mark.finish(to)),
            },
            upgrades: {
              3: () => call(async () => void ran.push(3)),
              4: () => call(async () => void ran.push(4)),
            },
          },
        ],
        alone,
        OWN,
      );
      if (dies === 4) await dying;
      else await t.throwsAsync(dying, { message: 'killed' });
      if (dies > 0) await t.throwsAsync(() => start(alone, 3), { code: 'SCHEMA_NEWER' });
      ran.length = 0;
      await start();
      t.deepEqual(ran, dies === 4 ? [] : [3, 4], `killed at call ${dies}`);
      t.deepEqual({ ...(await mark.read()), id: 0 }, { number: OWN, id: 0 });
    }
  });

  test(`${kind}: daemons that start at the same time all finish, and the number never falls`, async (t) => {
    const { mark, start } = await program();
    await Promise.all(Array.from({ length: 6 }, () => start()));
    await mark.begin(3, 1);
    await mark.finish(3);
    t.deepEqual({ ...(await mark.read()), id: 0 }, { number: OWN, id: 0 });
  });

  test(`${kind}: nothing is upgraded while other daemons run, unless they have finished the upgrade`, async (t) => {
    const { mark, ran, start } = await program();
    await start(alone, 2);
    await t.throwsAsync(() => start(async () => true), {
      code: 'SCHEMA_IN_USE',
      message: /has schema version 2 and other daemons use it, expected none during its upgrade to 4; stop all daemons/,
    });
    t.deepEqual([(await mark.read())?.number, ran], [2, []]);
    const other = async () => {
      await start();
      return true;
    };
    await t.notThrowsAsync(() => start(other));
    await t.notThrowsAsync(() => start(async () => true), 'there is nothing to upgrade');
  });
}
