import test from 'ava';
import type { AlertRule } from '../../../../engine/api-port/index.ts';
import { severityOf } from '../../../../engine/inventory/pollers/severity.ts';

for (const [description, severity] of [
  ['Upper Critical going high', 'critical'],
  ['Lower Non-recoverable going low', 'critical'],
  ['Upper Non-critical going high', 'warning'],
  ['Uncorrectable ECC', 'critical'],
  ['Correctable ECC', 'warning'],
  ['Predictive failure', 'warning'],
  ['Power Supply AC lost', 'critical'],
  ['Redundancy Lost', 'warning'],
  ['Fully Redundant', 'information'],
  ['Drive Present', 'information'],
  ['Drive Fault', 'critical'],
] as const) {
  test(`without rules, ${description} is ${severity}`, async (t) => {
    t.is(await severityOf({ Description: description, 'Event Direction': 'Assertion Event' }, []), severity);
    const over = { Description: description, 'Event Direction': 'Deassertion Event' };
    t.is(await severityOf(over, []), 'information');
  });
}

test('the first rule that matches in all its fields decides, by texts and by expressions', async (t) => {
  const rules: AlertRule[] = [
    { 'Sensor Type': 'Fan', Description: '/going (low|high)$/', severity: 'warning' },
    { 'Sensor Type': '/^F/', severity: 'critical' },
    { 'Sensor Type': 'Never There', 'No Such Field': '', severity: 'warning' },
  ];
  const of = (entry: Record<string, string>) => severityOf(entry, rules);
  t.is(await of({ 'Sensor Type': 'Fan', Description: 'Upper Critical going high' }), 'warning');
  t.is(await of({ 'Sensor Type': 'Fan', Description: 'Device Present' }), 'critical');
  t.is(await of({ 'Sensor Type': 'Temperature', Description: 'Device Present' }), 'information');
});

test('a pattern that backtracks without end in other engines returns a result, and an unsupported one matches nothing', async (t) => {
  const rules: AlertRule[] = [
    { Description: '/(?<=a)a/', severity: 'warning' },
    { Description: '/^(a+)+$/', severity: 'critical' },
  ];
  t.is(await severityOf({ Description: 'a'.repeat(40) }, rules), 'critical');
  const entry = { Description: `${'a'.repeat(40)}!` };
  t.is(await severityOf(entry, rules), 'information');
});
