/** Templates, profiles and files, as the API asks for them. */
import type { Readable } from 'node:stream';
import type { Page, Paged } from './page.ts';

/** Templates and profiles are rendered for a node, files are sent as they are. */
export type FileKind = 'template' | 'profile' | 'file';

/** Names one file. */
export interface FileName {
  kind: FileKind;
  name: string;
  /** The id of the SKU whose nodes get it; null: all nodes. */
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
  createdAt: string;
  updatedAt: string;
}

/** Bytes that can be read, as a whole or a part of them. */
export interface FileContent {
  /** Bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
  /** @param range the first and the last byte */
  open(range?: { start: number; end: number }): Readable;
}

/** What templates find as `task`: URLs of callbacks. */
export interface TemplateTask {
  /** Of the one call on the node that waits for a notification; null: none does, or several do. */
  callback: string | null;
  /** By label, of all tasks of the workflows on the node. */
  callbacks: Record<string, string>;
}

/** The files that users put, and those that a node gets: of its SKU's scope, else of its SKU's pack, else of all nodes. */
export interface Files {
  list(kind: FileKind, page: Page): Promise<Paged<FileRecord>>;
  get(file: FileName): Promise<FileRecord | undefined>;
  content(file: FileName): Promise<FileContent | undefined>;
  /** Adds a file, or replaces it. @throws NodewrightError INVALID (the name, or a scope that is no SKU), TOO_LARGE */
  put(file: FileName, bytes: AsyncIterable<Uint8Array>): Promise<FileRecord>;
  /** Restores a built-in profile that a user had replaced. @returns false when there is no such file */
  remove(file: FileName): Promise<boolean>;
  /**
   * Renders a template for a node.
   * @param node its id; null: no node, and only what is for all nodes
   * @param more further variables; they hide those that there are anyway
   * @returns undefined when there is no such template
   * @throws NodewrightError INVALID when it does not render, UNAVAILABLE when too many are asked for
   */
  template(name: string, node: string | null, more?: Record<string, unknown>): Promise<string | undefined>;
  /** The same for a profile. */
  profile(name: string, node: string | null, more?: Record<string, unknown>): Promise<string | undefined>;
  /** What a node that asks for this path gets. @param path decoded, without a slash at its beginning */
  static(path: string, node: string | null): Promise<FileContent | undefined>;
}
