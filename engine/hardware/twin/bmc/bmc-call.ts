/** A request to a BMC on its way to the resource that answers it, and the rows of the table of resources. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import type { LedgerNote } from '../machine/ledger.ts';
import type { AccountState, BmcState } from '../machine/machine-state.ts';
import type { Model } from '../machine/model.ts';
import type { Machine } from '../machine/twin-machine.ts';
import type { BmcPrivilege, BmcRequest } from './bmc-request.ts';
import type { BmcLogins } from './logins.ts';

export interface BmcOptions {
  /** The port of its HTTP server; shown in its network protocols. */
  port?: number;
  isHttps?: boolean;
  /** URLs outside of the loopback network are accepted: the twin has a network of its own. */
  anyAddress?: boolean;
}

/** An answer before it has its headers. */
export interface BmcReply {
  status: number;
  body?: JsonObject;
  headers?: Record<string, string>;
}

/** A request that may be answered. */
export interface BmcCall {
  machine: Machine;
  model: Model;
  bmc: BmcState;
  options: BmcOptions;
  logins: BmcLogins;
  /** Field time of the request. */
  now: number;
  /** Path of the resource. */
  path: string;
  /** Segments of the path by their names in the row. */
  params: Readonly<Record<string, string>>;
  /** Parsed; empty for a multipart body. */
  body: JsonObject;
  request: BmcRequest;
  /** undefined: the resource is public. */
  account: AccountState | undefined;
}

type BmcDocument = (call: BmcCall) => JsonObject;
export type BmcChange = (call: BmcCall) => BmcReply | Promise<BmcReply>;

/** A resource, or an action. Absent methods are not allowed. */
export interface BmcRoute {
  /** `:system`, `:chassis` and `:manager` are those of the model; other names are `params`. */
  path: string;
  get?: BmcDocument;
  /** Instead of `get`: sends server-sent events. @returns ends it */
  follow?(call: BmcCall, send: (text: string) => void): () => void;
  post?: BmcChange;
  patch?: BmcChange;
  remove?: BmcChange;
  /** false: the model has no such resource, or there is none with these params. */
  has?(call: BmcCall): boolean;
  /** For changes; absent: ConfigureComponents. */
  needs?: BmcPrivilege;
  /** No login is needed. `post`: for a POST. */
  isPublic?: true | 'post';
  /** POST takes an image in several parts. */
  takesImage?: true;
  /** The ledger has changes that are refused, too. */
  ledger?: LedgerNote['kind'];
}
