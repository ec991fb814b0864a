/** Requests to a BMC, its answers, and the privileges of its accounts (DSP0266, 13.2). */

export interface BmcRequest {
  method: string;
  /** With its query. */
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Only the beginning of an image: see `readBmcBody`. */
  body: Buffer;
}

export interface BmcAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Present for a stream, which has no body: begins it. @returns ends it */
  follow?(send: (text: string) => void): () => void;
}

export type BmcPrivilege = 'Login' | 'ConfigureManager' | 'ConfigureUsers' | 'ConfigureSelf' | 'ConfigureComponents';
