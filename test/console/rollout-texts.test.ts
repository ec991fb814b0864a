/** The form of a rollout, and the commands that a rollout takes. */
import test from 'ava';
import { commandReasons, type ShownRollout } from '../../api/console/data/command-reasons.ts';
import { enteredRollout, firstTexts, rolloutStart } from '../../api/console/parts/rollout/entered-rollout.ts';

test('the texts of the form are the body of a request', (t) => {
  const texts = { ...firstTexts(40), graph: 'Graph.X', running: '5', perRelation: '1', relation: 'poweredBy' };
  t.deepEqual(
    enteredRollout({ ...texts, health: 'critical', window: 'w', options: '{ "defaults": {} }' }, ['a', 'b']),
    {
      graph: 'Graph.X',
      options: { defaults: {} },
      targets: { nodes: ['a', 'b'] },
      phases: [{ size: 1, advance: 'manual' }, { size: '10%', advance: 'manual' }, { size: 'rest' }],
      limits: { running: 5, per: { poweredBy: 1 } },
      gates: [{ failures: 2 }, { health: 'critical' }],
      window: 'w',
    },
  );
  const plain = enteredRollout({ ...firstTexts(2), graph: 'Graph.X', failures: '', waits: false }, ['a']);
  t.deepEqual(plain, {
    graph: 'Graph.X',
    targets: { nodes: ['a'] },
    phases: [{ size: 'rest' }],
    limits: {},
    gates: [],
  });
  t.throws(() => enteredRollout({ ...texts, options: '{' }, []), { instanceOf: SyntaxError });
});

test('a plan with a restricted node cannot be started by this user; other rejections only leave nodes out', (t) => {
  const busy = { code: 'NODE_BUSY', message: 'busy' };
  t.deepEqual(rolloutStart([busy]), { needsTicket: false });
  t.deepEqual(rolloutStart([busy, { code: 'TICKET_REQUIRED', message: 'ticket' }]), { needsTicket: true });
  const restricted = { code: 'LAUNCH_RESTRICTED', message: 'only Administrators may erase' };
  t.like(rolloutStart([busy, restricted]), { obstacle: 'only Administrators may erase' });
});

test('each state of a rollout takes its commands, and says why not the others', (t) => {
  const counts = { pending: 0, waiting: 0, running: 1, succeeded: 0, failed: 1, cancelled: 0, skipped: 0 };
  const taken = (status: ShownRollout['status'], kind?: NonNullable<ShownRollout['reason']>['kind'], failed = 1) => {
    const reason = kind === undefined ? null : { kind, since: '2026-01-01T00:00:00Z' };
    const reasons = commandReasons({ status, reason, counts: { ...counts, failed } });
    return Object.entries(reasons).flatMap(([command, why]) => (why === undefined ? [command] : []));
  };
  t.deepEqual(taken('running'), ['pause', 'cancel']);
  t.deepEqual(taken('paused', 'user'), ['resume', 'cancel', 'retryFailed']);
  t.deepEqual(taken('paused', 'gate', 0), ['resume', 'cancel']);
  t.deepEqual(taken('paused', 'phase'), ['advance', 'cancel', 'retryFailed']);
  t.deepEqual(taken('paused', 'window', 0), ['cancel']);
  t.deepEqual(taken('paused', 'ticket', 0), ['cancel']);
  t.deepEqual(taken('completed_with_failures'), ['retryFailed']);
  t.deepEqual(taken('succeeded', undefined, 0), []);
});
