/**
 * Graph.Bmc.RotatePassword: replaces the password by which the daemon logs in to the node's BMC. A rollout of it rotates the
 * passwords of a site.
 *
 * - Options: `rotate-password` with `obmServiceName`, `length`.
 * - Irreversible: the old password. It is dropped when the BMC has accepted the new one; neither is shown.
 * - Cancel, crash, failure: both are kept until the BMC accepts one of them; a new launch continues from there.
 *
 * Documentation: docs/operate/bmc-accounts.md.
 */
import { defineGraph, MINUTE_MS } from 'nodewright/define';
import rotate from '../tasks/bmc-rotate-password.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.Bmc.RotatePassword',
  friendlyName: 'Rotate the password of a BMC',
  tasks: { 'rotate-password': { task: rotate, timeoutMs: 15 * MINUTE_MS } },
});

export default createMachine({
  id: 'Graph.Bmc.RotatePassword',
  initial: 'rotating',
  states: { rotating: { invoke: { src: 'rotate-password', onDone: 'rotated' } }, rotated: { type: 'final' } },
});
