/** Templates, profiles and files, as the API asks for them. */
import type { Readable } from 'node:stream';
import type { Page, Paged } from './page.ts';

/** Templates and profiles are rendered for a node, files are sent as they are. */
export type FileKind = 'template' | 'profile' | 'file';

export interface FileRecord {
  /** Unique within its kind. */
  name: string;
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

/** Those that are for all nodes, and what a node gets: of its SKU's pack first. */
export interface Files {
  list(kind: FileKind, page: Page): Promise<Paged<FileRecord>>;
  get(kind: FileKind, name: string): Promise<FileRecord | undefined>;
  content(kind: FileKind, name: string): Promise<FileContent | undefined>;
  /** Adds it, or replaces the one of that name. @throws NodewrightError INVALID (the name), TOO_LARGE */
  put(kind: FileKind, name: string, bytes: AsyncIterable<Uint8Array>): Promise<FileRecord>;
  /** A profile of the daemon's own is there again afterwards, as it was built in. @returns false when it is not there */
  remove(kind: FileKind, name: string): Promise<boolean>;
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
