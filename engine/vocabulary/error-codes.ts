/**
 * Every error that users and API clients can see, by its code. Codes are stable. `docs/reference/errors.md` is generated from this
 * list. Authors of graphs and tasks may define their own codes, which begin with `X_`.
 */

import type { Consequence, ErrorMeaning } from './error-meaning.ts';

type Parts = [status: number, when: string, help: string];

const as = (consequence: Consequence, [status, when, help]: Parts): ErrorMeaning => ({
  status,
  consequence,
  when,
  help,
});

// Without side effects, so that the bundle of a definition, which needs no meanings, has none: it would change with each new code.
const rejected = /* @__NO_SIDE_EFFECTS__ */ (...parts: Parts) => as('rejected', parts);
const later = /* @__NO_SIDE_EFFECTS__ */ (...parts: Parts) => as('later', parts);
const ended = /* @__NO_SIDE_EFFECTS__ */ (...parts: Parts) => as('ended', parts);
const unknown = /* @__NO_SIDE_EFFECTS__ */ (...parts: Parts) => as('unknown', parts);
const start = /* @__NO_SIDE_EFFECTS__ */ (...parts: Parts) => as('start', parts);

const CHANGE = 'Correct the values that the message and `errors` name.';
const CHECK_NODE = 'Check the node, then launch again.';

export const errorMeanings = {
  INVALID: rejected(400, 'An input value is not valid.', CHANGE),
  INVALID_DEFINITION: rejected(400, 'A graph or task definition is not valid.', CHANGE),
  JOB_MISSING: rejected(
    409,
    'The graph begins a label with a job of RackHD that no task here does.',
    'The message names the job, and another way; see [RackHD](../operate/rackhd.md).',
  ),
  RETRY_UNSAFE: rejected(
    409,
    'A retry would run `once` tasks again that may have taken effect.',
    'Check the node; then name these tasks in `acknowledge`, or choose another `from`.',
  ),
  INVALID_OPTIONS: rejected(400, "The options do not match the task's schema.", CHANGE),
  UNAUTHORIZED: rejected(401, 'The token is missing or no longer valid.', 'Log in again.'),
  OIDC_NO_ROLE: rejected(403, 'No group of a user at the provider has a role here.', 'Add one to `oidc.roles`.'),
  OIDC_REJECTED: rejected(
    401,
    'The provider of OpenID Connect, or the daemon, did not accept a log-in.',
    'Begin the log-in again; the message has the reason. See [OpenID Connect](../operate/oidc.md#problems).',
  ),
  OIDC_TWO_NAMES: rejected(
    403,
    'The ID token and the access token of a log-in name two users.',
    'Set `oidc.userClaim` to a claim that is the same in both.',
  ),
  LOCAL_USERS_OFF: rejected(
    403,
    'A user of this daemon logs in, although `oidc.localUsers` is false.',
    'Log in at the provider: the button of the console, or `nw login --oidc`.',
  ),
  FORBIDDEN: rejected(
    403,
    'The role lacks the required privilege, or the sender is not the node.',
    'The message names the right, where it has to count, and the users who can give it.',
  ),
  LAUNCH_RESTRICTED: rejected(
    403,
    'Only users with other roles may launch the graph, or one that it launches, on this node.',
    'Ask a user with one of the roles that the message names. See [who may erase](../operate/teams.md#who-may-erase).',
  ),
  NOT_FOUND: rejected(404, 'The record, path or definition does not exist.', 'Check the name or the id.'),
  PRECONDITION_FAILED: rejected(
    412,
    'A header demands a version that is not the one stored or served.',
    'Read the file again, or send the version that the message names.',
  ),
  METHOD_NOT_ALLOWED: rejected(405, 'The path does not support the method.', 'Use a method listed in `Allow`.'),
  CONFLICT: rejected(409, 'The request conflicts with the state of the record.', 'Read the record, then decide.'),
  CONSOLE_UNSUPPORTED: rejected(
    409,
    'The BMC of the node does not offer its serial console over IPMI, or the obm cannot be used for it.',
    'Enable serial over LAN on the BMC, or correct the obm.',
  ),
  CONSOLE_UNCONNECTED: rejected(
    409,
    'An input was sent to a console that is not connected.',
    'Switch it on, or read its `error`.',
  ),
  NODE_BUSY: rejected(409, 'Another workflow is active on the node.', 'Wait for it, or cancel it.'),
  NODE_HELD: rejected(
    409,
    'The node has holds, and no workflow may start on it.',
    'Ask the users whom the message names, wait for the end, or launch with `override`.',
  ),
  TEAM_QUOTA: rejected(
    409,
    'The team has as many running workflows, or rollouts, as its quota admits.',
    'Wait for one to end, or ask an administrator for a larger quota.',
  ),
  TICKET_REQUIRED: rejected(
    409,
    'The launch needs a ticket that other users approved and that was not used.',
    'Ask for a ticket, and launch with it when it is approved.',
  ),
  TICKET_MISMATCH: rejected(
    409,
    'The launch differs from the plan that its ticket is for.',
    'Launch what was approved, or ask for another ticket.',
  ),
  DRIVE_SERIAL_UNKNOWN: rejected(
    409,
    'A ticket names the drives that a graph erases, and the serial number of one is not known.',
    'Let the agent of the node send its catalogs, then ask again.',
  ),
  WORKFLOW_ACTIVE: rejected(409, 'The workflow has not ended.', 'Cancel it first.'),
  WORKFLOW_ENDED: rejected(409, 'The workflow has ended.', 'Launch it again.'),
  DUPLICATE: rejected(409, 'Another record has this name.', 'Choose another name.'),
  TOO_MANY_CHILDREN: rejected(
    409,
    'A tree of child workflows would be deeper or larger than `childGraphs` allows.',
    'Run fewer graphs, or raise the limit.',
  ),
  BATCH_STOPPED: rejected(
    409,
    'The node was not reached: its batch was cancelled, or too many of its workflows failed.',
    'Find the cause, then launch the rest.',
  ),
  EVENTS_GONE: rejected(
    410,
    'The events after the requested position are older than `eventRetentionDays`, or no event of this installation had it yet.',
    'Read the records that you need, then continue from `oldest`.',
  ),
  TOO_LARGE: rejected(413, 'The body exceeds the size limit.', 'Send less, or raise the limit.'),
  UNSUPPORTED_MEDIA_TYPE: rejected(
    415,
    'The content type is not supported.',
    'Use the content type that the message names.',
  ),
  TOO_MANY_REQUESTS: later(
    429,
    'A limit on requests, failed logins or quotas is exceeded.',
    'Wait for the time in `Retry-After`.',
  ),
  MAILBOX_FULL: later(429, "The node's mailbox is full.", 'Let the workflow receive the queued notifications first.'),
  OIDC_UNAVAILABLE: later(
    503,
    'The provider of OpenID Connect does not answer, and its keys here cannot verify the token.',
    'Wait for the time in `Retry-After`, then repeat. See [OpenID Connect](../operate/oidc.md#problems).',
  ),
  UNAVAILABLE: later(
    503,
    'A store is unavailable or full, or the daemon is stopping.',
    'Wait for the time in `Retry-After`, check the state, then repeat.',
  ),

  TASK_FAILED: ended(500, 'A task failed without a more specific code.', 'Read its message.'),
  TASK_TIMEOUT: ended(500, 'A task run exceeded its `_taskTimeout`.', 'Find the cause, or raise the timeout.'),
  TASK_CANCELLED: ended(500, 'The task run, or the workflow that it waited for, was cancelled.', 'Launch again.'),
  TASK_INTERRUPTED: unknown(500, 'The process that ran a `once` task died; its progress is unknown.', CHECK_NODE),
  STATE_LOST: unknown(500, 'Redis lost the live state of the workflow; its progress is unknown.', CHECK_NODE),
  TASK_ABANDONED: unknown(500, 'A cancelled or timed-out task did not stop in time.', CHECK_NODE),
  GRAPH_FAILED: ended(500, 'A graph ended in a failed state, or a child workflow failed.', 'Check its tasks.'),
  COMPENSATION_FAILED: unknown(
    500,
    'The workflow was cancelled, and a compensation did not succeed; `compensations` lists each.',
    'Undo by hand what the compensation would have undone.',
  ),
  COMPENSATION_LIMIT: ended(
    500,
    'The workflow has more runs to compensate than it may.',
    'Use fewer runs of tasks with a compensation, or child graphs.',
  ),
  WORKFLOW_TOO_LARGE: ended(500, 'The values in a workflow have more than 12 MiB.', 'Use a catalog, or child graphs.'),
  TEMPLATE_VALUE_MISSING: ended(
    500,
    'A `{{ }}` template names a value that does not exist.',
    'Provide the value, or an alternative in the template.',
  ),
  SECRET_UNREADABLE: ended(
    500,
    'A secret of the workflow was encrypted with another key.',
    'Restore the key in `secrets/values`, or launch again with the secret.',
  ),
  CATALOG_UNTRUSTED: ended(
    500,
    'The catalog came from a sender without a key.',
    'Have a user, or an agent with a key, post it.',
  ),
  CATALOG_REJECTED: ended(
    500,
    'The output of a command cannot be converted into its catalog.',
    'Correct the command or its format.',
  ),
  COMMAND_FAILED: ended(500, 'A command ended with an unaccepted exit code.', 'Read its output.'),
  COMMAND_NOT_ALLOWED: ended(500, 'A command is not listed in `shellCommands`.', 'Add it there if it may run.'),
  CONDITION_FALSE: ended(
    500,
    'The condition of `Task.Evaluate.Condition` is false.',
    'No action needed: this is the result of the task.',
  ),
  NO_NODE: ended(500, 'A task needs a node, and its workflow has none.', 'Launch the graph on a node.'),
  CATALOG_VALUE_MISSING: ended(
    500,
    'A catalog of the node lacks a value.',
    'Collect the catalog, or correct the path.',
  ),
  DISK_UNKNOWN: ended(500, 'The driveId catalog lacks the drive.', 'Collect the catalog, or name another drive.'),
  BMC_UNKNOWN: ended(500, 'No catalog has the address of the BMC.', 'Discover the node, or post the catalog.'),
  DESTINATION_UNKNOWN: ended(
    500,
    'The destination for alerts is unknown.',
    'Set `servicePublicIp`, or name the destination in the options.',
  ),
  REST_STATUS: ended(500, 'A REST server responded with an unaccepted status.', 'Read its response.'),
  REST_NOT_JSON: ended(500, 'A REST response is declared as JSON but is not JSON.', 'Correct the server.'),
  REST_TOO_LARGE: ended(500, 'A REST response exceeds the limit of the task, or is nested too deep.', 'Request less.'),

  EGRESS_DENIED: ended(
    500,
    'Requests to this host are not permitted.',
    'Choose another host, or add it to `egress.allow`.',
  ),
  ENV_NOT_ALLOWED: ended(
    500,
    'A value of `env` is limited to other tasks or hosts.',
    'Change the graph, or the limits of the value in the configuration.',
  ),
  OBM_MISSING: rejected(409, 'A task needs an obm, and the node has none.', 'Put one to `/nodes/:id/obm`.'),
  OBM_INVALID: ended(500, 'The config of the obm is incomplete.', 'Put the complete obm.'),
  OBM_REJECTED: ended(500, 'The BMC rejected the credentials or the command.', 'Correct the obm, or the BMC.'),
  OBM_UNSUPPORTED: ended(500, 'The BMC does not support the command.', 'Use another obm.'),
  OBM_NO_BOOT_IMAGE: ended(500, 'The BMC got no image to boot the machine from.', 'Correct the image, obm or BMC.'),
  OBM_UNREACHABLE: later(500, 'The BMC is unreachable.', 'Check its address and network.'),
  OBM_CIRCUIT_OPEN: later(
    500,
    'The BMC failed to respond several times; its circuit is open until the time in the message.',
    'Wait until then.',
  ),
  OBM_BUSY: later(500, 'The BMC starts or is busy, or too many commands are queued for it.', 'Wait.'),
  OBM_FAILED: later(500, 'The BMC reports that the command failed.', 'Read its message, then try again.'),
  OBM_UNANSWERED: unknown(500, 'A command was sent, and the BMC does not report its outcome.', CHECK_NODE),
  OBM_UNCHANGED: unknown(500, 'A command was sent, but the node is not in the requested state.', CHECK_NODE),
  NODE_INTERLOCKED: rejected(409, 'An erase needs the power of the node unchanged.', 'Wait until it has ended.'),
  ERASE_REJECTED: ended(500, 'An erase was rejected before any drive was changed.', CHANGE),
  ERASE_FAILED: ended(500, 'A drive could not be erased.', 'Read the certificate, then check the drive.'),
  FIRMWARE_REJECTED: ended(500, 'A firmware update was rejected before the BMC, or the device, got anything.', CHANGE),
  FIRMWARE_UNCHANGED: unknown(
    500,
    'After an update, components or devices do not have the wanted version.',
    'Read the message, and the log of the BMC; restart the machine if the update needs it.',
  ),
  BIOS_REJECTED: ended(500, 'BIOS settings were rejected before anything was sent to the BMC.', CHANGE),
  BIOS_UNCHANGED: unknown(
    500,
    'After the restart, BIOS attributes do not have the wanted values.',
    'Read the message; the BIOS may have rejected a value, or be still starting.',
  ),
  BASELINE_UNMET: unknown(
    500,
    'After all updates, the node still differs from its baseline.',
    'Read the message and the log of the BMC; a new launch continues from what the machine has.',
  ),
  RAID_REJECTED: ended(500, 'A layout of volumes is not possible on the RAID controllers of the node.', CHANGE),
  RAID_UNCHANGED: unknown(
    500,
    'A RAID controller was asked for volumes, and does not show them.',
    'Read the message; look at the messages of the controller, then launch again, which continues from what is there.',
  ),
  BURN_IN_REJECTED: ended(500, 'A burn-in was rejected before any test; the machine was not loaded.', CHANGE),
  BURN_IN_FAILED: ended(
    500,
    'A test of a burn-in found a fault, or a value beyond its limit.',
    'Read the catalog `burn-in`; repair the machine, then launch again.',
  ),
  BURN_IN_INCOMPLETE: ended(
    500,
    'A test of a burn-in did not run to its end, which says nothing about the machine.',
    'Read the message and the catalog `burn-in`, then launch again.',
  ),
  MEDIA_REJECTED: ended(500, 'No virtual media of the BMC can take the image.', CHANGE),
  INSTALL_REJECTED: ended(500, 'An installation was rejected before the node was changed.', CHANGE),
  INSTALL_FAILED: ended(
    500,
    'The installer on the node reported a failure.',
    "Read the node's console, then launch again.",
  ),
  IMAGE_UNAVAILABLE: ended(500, 'An image cannot be fetched by the node; its disk is unchanged.', 'Read the message.'),
  IMAGE_MISMATCH: ended(
    500,
    'An image is not the one of the checksum, or is incomplete.',
    'Correct the image or the options; the message says what the disk has.',
  ),
  IMAGE_TOO_LARGE: ended(500, 'An image is larger than the disk, which is unchanged.', 'Select another disk or image.'),
  IMAGE_WRITE_FAILED: ended(500, 'A disk did not store an image; it does not boot.', 'Check the disk.'),
  DRIVE_STATE_UNKNOWN: unknown(500, 'The progress of a drive erase is unknown.', 'Check the drive.'),

  DEFINITION_GONE: {
    status: 409,
    consequence: 'suspended',
    when: 'The version of the graph that the workflow started with is missing.',
    help: 'Restore that version, or cancel the workflow.',
  },

  QUARANTINED: {
    status: 409,
    consequence: 'suspended',
    when: 'The code of the graph or task blocked or crashed the daemon.',
    help: 'Correct the graph, or once the cause is fixed release the workflow, or the version (`nw graph release`).',
  },

  CONFIG_INVALID: start(500, 'The configuration is not valid.', 'Correct the key that the message names.'),
  DATA_DIR_LOCKED: start(500, 'Another process uses the data directory.', 'Stop it, or set another `dataDir`.'),
  DATA_DIR_DAMAGED: start(500, 'The data directory is damaged.', 'Restore a backup.'),
  DATA_DIR_FORMAT: start(
    500,
    'The data directory was made by another version.',
    'Run that version, or import an export that it makes into an empty `dataDir` (`docs/operate/upgrade.md`).',
  ),
  SCHEMA_NEWER: start(
    500,
    'The data was written by a newer version.',
    'Run that version, or restore a backup from before its upgrade.',
  ),
  SCHEMA_IN_USE: start(
    500,
    'The data has to be upgraded, and daemons of the earlier version use it.',
    'Stop all daemons, then start the newer ones.',
  ),
  RESTORE_UNFINISHED: start(
    500,
    'A restore of a backup was interrupted.',
    'Run `nodewright backup restore --replace` again.',
  ),
  RESTORE_NOT_EMPTY: rejected(
    409,
    'A backup would be restored over data.',
    'Choose an empty place, or add `--replace`, which removes what is there.',
  ),
  RESTORE_RUNNING: rejected(409, 'A backup would be restored under a running daemon.', 'Stop every daemon.'),
  BACKUP_EXISTS: rejected(409, 'The file of a new backup exists.', 'Choose another name, or remove it.'),
  BACKUP_INVALID: rejected(
    400,
    'The file is not a whole backup.',
    'Fetch it again, or take another one: `nodewright backup verify`.',
  ),
  BACKUP_NEWER: rejected(400, 'A later version made the backup.', 'Restore it with that version.'),
  BACKUP_FAILED: later(500, 'The backup could not be made.', 'Read the message, then try again.'),
  NETBOX_UNAVAILABLE: later(503, 'NetBox does not answer, or is busy.', 'Try again; `nw netbox watch` does so.'),
  NETBOX_UNAUTHORIZED: rejected(401, 'NetBox does not accept the token.', 'Name a valid one in `NETBOX_TOKEN`.'),
  NETBOX_FORBIDDEN: rejected(
    403,
    'The user of the token has no permission for the request in NetBox.',
    'Give the user the permissions of [the page](../integrate/netbox.md#tokens).',
  ),
  NETBOX_REJECTED: rejected(400, 'NetBox rejected a value, such as a filter with an unknown site.', CHANGE),
  NETBOX_UNEXPECTED: rejected(
    502,
    'The answer is not from the REST API of a NetBox, or its certificate is not trusted.',
    'Correct the URL, or the proxy before NetBox; name its authority by `--netbox-ca`.',
  ),
  NETBOX_VERSION: rejected(409, 'The version of NetBox is older than 4.0.', 'Upgrade NetBox.'),
  NETBOX_FIELDS: rejected(
    409,
    'NetBox lacks the custom fields for the states of nodes.',
    'Create them by `nw netbox setup`, or name others by `--prefix`.',
  ),
  KUBERNETES_UNAVAILABLE: later(503, 'Kubernetes is away or busy.', 'Try again; `nw kubernetes watch` does so.'),
  KUBERNETES_UNAUTHORIZED: rejected(401, 'Kubernetes does not accept the token.', 'Name another by `--token-file`.'),
  KUBERNETES_FORBIDDEN: rejected(
    403,
    'The account of the token may not do this in Kubernetes.',
    'Bind the role of [the page](../integrate/kubernetes.md#rights) to the account.',
  ),
  KUBERNETES_CONFLICT: later(409, 'Another client has changed the object in Kubernetes.', 'None: it is read again.'),
  KUBERNETES_GONE: later(410, 'Kubernetes no longer has a version of its list.', 'None: all is listed again.'),
  KUBERNETES_REJECTED: rejected(400, 'Kubernetes rejected a request, such as a selector or a change.', CHANGE),
  KUBERNETES_UNEXPECTED: rejected(
    502,
    'The answer is not from a Kubernetes API, or its certificate is not trusted.',
    'Correct the URL, or the proxy before it; name its authority by `--server-ca`.',
  ),
  KUBERNETES_OPERATOR: rejected(
    409,
    'The cluster has neither Metal3 nor the metal-operator, or both and none was chosen.',
    'Install the operator, or choose one by `--operator`.',
  ),
  PLATFORM_UNSUPPORTED: start(
    500,
    'The package libsql has no program for this platform.',
    'Install the packages on this machine with their optional dependencies, or use another platform.',
  ),
  INTERNAL: {
    status: 500,
    consequence: 'fault',
    when: 'An unexpected error.',
    help: 'Report it, with the log.',
  },
} as const satisfies Record<string, ErrorMeaning>;

export type ErrorCode = keyof typeof errorMeanings;
/** A code of a graph or task author. */
export type AuthorCode = `X_${string}`;
