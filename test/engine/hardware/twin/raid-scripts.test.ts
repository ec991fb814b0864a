/** RAID volumes in band on a machine of a twin: its answers are those of the scripts, and each change is made once. */
import test from 'ava';
import { type RaidTool, raidCommand, raidLook, wantedOf } from '../../../../engine/hardware/raid/raid-commands.ts';
import { layoutIn, type WantedVolume } from '../../../../engine/hardware/raid/raid-layout.ts';
import { raidLookIn } from '../../../../engine/hardware/raid/raid-look.ts';
import { possiblePlan } from '../../../../engine/hardware/raid/raid-plan.ts';
import { answerCommand, kindOfCommand } from '../../../../engine/hardware/twin/commands/answer-command.ts';
import { drivesOfMachine } from '../../../../engine/hardware/twin/commands/drive-facts.ts';
import { offlineTwin, runOn } from '../../../support/twin/offline-twin.ts';

function scene(tool: RaidTool) {
  const twin = offlineTwin();
  const first = runOn(twin, '');
  const run = async (command: string) => (await answerCommand({ ...first, command })).stdout;
  const look = async () => raidLookIn(await run(raidLook(tool).command));
  const next = async (volumes: WantedVolume[], deleteOthers = false) => {
    const state = await look();
    const { changes, kept } = possiblePlan(state.controllers, layoutIn({ volumes, deleteOthers }));
    return { kept, wanted: changes[0] && wantedOf(changes[0], state) };
  };
  const change = (id: string, wanted: Record<string, string> = {}) => run(raidCommand({ run: id, wanted }).command);
  return { ...twin, look, next, change };
}

for (const tool of ['storcli', 'mdadm'] as const) {
  test(`${tool}: a volume is made once, kept, and replaced`, async (t) => {
    const { machine, ledger, next, change, look } = scene(tool);
    const drive = drivesOfMachine(machine).find(({ model }) => model.kind === 'sas');
    const serial = drive?.state.serial ?? '';
    const volumes: WantedVolume[] = [{ name: 'system', raid: 'RAID0', serials: [serial] }];
    const { wanted } = await next(volumes);
    t.regex(await change('w-raid-0', wanted), /^state ended\ncode 0\n/);
    t.regex(await change('w-raid-0', wanted), /^state ended\ncode 0\n/, 'it is begun once');
    t.deepEqual(await next(volumes), { kept: ['system'], wanted: undefined });
    const other: WantedVolume[] = [{ name: 'data', raid: 'RAID0', serials: [serial] }];
    const { wanted: deletion } = await next(other, true);
    t.regex(await change('w-raid-1', deletion), /^state ended\ncode 0\n/);
    const { wanted: creation } = await next(other, true);
    machine.state.bootId = 'another';
    t.regex(await change('w-raid-2', creation), /^state lost\n/);
    t.deepEqual((await look()).controllers[0]?.volumes, []);
    t.deepEqual(ledger, [`create system RAID0 ${serial}: done`, `delete system ${serial}: done`]);
  });
}

test('an array is gone when its drive gets another content, and one that was replaced is not touched', async (t) => {
  const { machine, next, change, look } = scene('mdadm');
  const [drive] = drivesOfMachine(machine);
  const { wanted } = await next([{ name: 'system', raid: 'RAID0', serials: [drive?.state.serial ?? ''] }]);
  const strange = { ...wanted, serials: (wanted?.serials ?? '').replace('=', '=X') };
  t.is(await change('w-raid-0', strange), 'state changed\n');
  await change('w-raid-1', wanted);
  t.is((await look()).controllers[0]?.volumes.length, 1);
  if (drive !== undefined) drive.state.content = 'zeros';
  t.is((await look()).controllers[0]?.volumes.length, 0);
  t.is(kindOfCommand(raidLook('mdadm').command), 'raid: look');
});
