/** The port of the API to templates, profiles and files. */
import type { Readable } from 'node:stream';
import type { Page, PagedList } from './page.ts';

/** Templates and profiles are rendered for a node; files are sent unchanged; views are only stored. */
export type FileKind = RenderedKind | 'file' | 'view';
export type RenderedKind = 'template' | 'profile';

/** Identifies one file. */
export interface FileName {
  kind: FileKind;
  name: string;
  /** The id of the SKU whose nodes receive it; null: all nodes. */
  scope: string | null;
}

export interface FileRecord {
  /** Unique within its kind and scope. */
  name: string;
  scope: string | null;
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  md5: string;
  sha256: string;
  /** Id of the bytes, a UUID; a replacement has another. */
  content: string;
  createdAt: string;
  updatedAt: string;
}

/** File content that can be read completely or in part. */
export interface FileContent {
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
  /** @param range the first and the last byte */
  open(range?: { start: number; end: number }): Readable;
}

/** A condition on the stored file that is replaced; undefined: there is none. @throws NodewrightError PRECONDITION_FAILED */
export type FileCondition = (stored: Pick<FileRecord, 'sha256'> | undefined) => void;

/** The template variable `task`: callback URLs. */
export interface TemplateTask {
  /** URL of the only task run on the node that waits for a notification; null: none, or several. */
  callback: string | null;
  /** By label, for all tasks of the node's workflows. */
  callbacks: Record<string, string>;
}

/** Uploaded files, and the files for a node: from its SKU's scope, else its SKU's pack, else the scope of all nodes. */
export interface Files {
  list(kind: FileKind, page: Page): Promise<PagedList<FileRecord>>;
  /** Also finds a template or a profile of the pack of the SKU that is the scope. */
  get(file: FileName): Promise<FileRecord | undefined>;
  /** The same for its bytes. */
  content(file: FileName): Promise<FileContent | undefined>;
  /** Finds a file by the id of its bytes. */
  nameOfContent(kind: FileKind, content: string): Promise<FileName | undefined>;
  /**
   * Adds or replaces a file, in one write with the check of the condition.
   * @throws NodewrightError INVALID (the name, or a scope that is not a SKU), TOO_LARGE; PRECONDITION_FAILED
   */
  put(file: FileName, bytes: AsyncIterable<Uint8Array>, condition?: FileCondition): Promise<FileRecord>;
  /**
   * Deletes a file. Restores the built-in one that it replaced, if any.
   * @returns false if there is no such file. @throws NodewrightError CONFLICT if it is in a pack; PRECONDITION_FAILED
   */
  remove(file: FileName, condition?: FileCondition): Promise<boolean>;
  /**
   * Renders a template for a node.
   * @param node its id; null: no node, and only files for all nodes
   * @param more additional variables; they override existing ones
   * @returns undefined if there is no such template
   * @throws NodewrightError INVALID if rendering fails, UNAVAILABLE under too many requests
   */
  template(name: string, node: string | null, more?: Record<string, unknown>): Promise<string | undefined>;
  /** The same for a profile. */
  profile(name: string, node: string | null, more?: Record<string, unknown>): Promise<string | undefined>;
  /** Returns the file that a node gets for this path. @param path decoded, without a leading slash */
  staticFile(path: string, node: string | null): Promise<FileContent | undefined>;
}
