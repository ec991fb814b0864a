/** Reports on the health of a node by alerts, log entries and sensors. */
import test from 'ava';
import type { PollerReading } from '../../../../engine/api-port/pollers.ts';
import { alertReport } from '../../../../engine/inventory/health/alert-reports.ts';
import { logReports } from '../../../../engine/inventory/health/log-reports.ts';
import { sensorReport } from '../../../../engine/inventory/health/sensor-reports.ts';
import { now } from '../../../../engine/platform/lib/clock.ts';

const reading = { host: '10.0.0.1', node: 'n', timestamp: '2026-01-01T00:00:00.000Z' };
const saying = (command: string, more: Partial<PollerReading>) => sensorReport(command, { ...reading, ...more })[0];

test('sensors beyond a limit are named, with the worse of their states', (t) => {
  const sensor = (name: string, Status: string) => ({ 'Sensor Id': name, Status });
  const sdr = (...sensors: ReturnType<typeof sensor>[]) => saying('sdr', { sdr: sensors })?.report;
  t.like(sdr(sensor('Temp', 'ok'), sensor('Fan 1', 'ns')), { state: 'ok' });
  t.like(sdr(sensor('Temp', 'ok'), sensor('Fan 1', 'lnc')), { state: 'warning', message: 'Fan 1: warning' });
  t.like(sdr(sensor('Temp', 'ucr'), sensor('Fan 1', 'nc')), {
    state: 'critical',
    message: 'Temp: critical, Fan 1: warning',
  });
  const ten = Array.from({ length: 10 }, (_, n) => sensor(`S${n}`, 'nr'));
  t.regex(sdr(...ten)?.message ?? '', /S7: critical, 2 more$/);
  const redfish = (health: string | null, state = 'Enabled') =>
    saying('thermal', { thermal: [{ chassis: '/c', name: 'Fan', reading: 1, units: 'RPM', health, state }] })?.report;
  t.like(redfish('OK'), { state: 'ok' });
  t.like(redfish('Critical'), { state: 'critical' });
  t.like(redfish('Critical', 'Absent'), { state: 'ok' });
  t.like(saying('chassis', { chassis: { power: 'on', uid: null, fault: 'true' } })?.report, { state: 'critical' });
  t.is(saying('sel', { sel: [] }), undefined);
});

test('an entry of a log reports its condition for a day, until its deassertion', (t) => {
  const entry = {
    'Sensor Type': 'Power Supply',
    'Sensor Number': '61',
    Description: 'AC lost',
    'Event Direction': 'Assertion Event',
  };
  const [lost] = logReports([{ entry, severity: 'critical' }], false);
  t.like(lost, { source: 'log', report: { state: 'critical', message: 'Power Supply (61) AC lost' } });
  const hours = (Date.parse(lost?.report?.until ?? '') - now()) / 3_600_000;
  t.true(hours > 23.9 && hours <= 24);
  const back = { ...entry, 'Event Direction': 'Deassertion Event' };
  t.deepEqual(logReports([{ entry: back, severity: 'information' }], false), [
    { source: 'log', key: lost?.key ?? '', report: null },
  ]);
  t.deepEqual(logReports([{ entry, severity: 'information' }], false), []);
});

test('of entries from before the log was polled, only those of the last day count', (t) => {
  const of = (Timestamp?: string) =>
    logReports([{ entry: { Description: 'a fan', ...(Timestamp && { Timestamp }) }, severity: 'warning' }], true)
      .length;
  t.is(of(), 0);
  t.is(of('Pre-Init Time-stamp'), 0);
  t.is(of('01/02/2020 03:04:05'), 0);
  t.is(of(new Date(Date.now() - 3_600_000).toISOString()), 1);
});

test('an alert is about its resource, or its message: another one without a severity ends it', (t) => {
  const origin = { '@odata.id': '/redfish/v1/Chassis/1/Power' };
  const failed = { MessageId: 'Alert.1.2.PSU0001', OriginOfCondition: origin, Message: 'The supply failed.' };
  const [report] = alertReport(failed, 'critical');
  t.like(report, { source: 'alert', key: origin['@odata.id'], report: { state: 'critical', message: failed.Message } });
  const restored = { MessageId: 'Alert.1.2.PSU0017', OriginOfCondition: origin['@odata.id'] };
  t.deepEqual(alertReport(restored, 'information'), [{ source: 'alert', key: origin['@odata.id'], report: null }]);
  const [older] = alertReport({ MessageId: 'Alert.1.2.Fan' }, 'warning');
  const [newer] = alertReport({ MessageId: 'Alert.1.3.Fan' }, 'information');
  t.is(older?.key, newer?.key ?? '');
  t.deepEqual(alertReport({}, 'information'), []);
  t.like(alertReport({}, 'critical')[0], { report: { message: 'an alert without a message' } });
});
