/** A browser and a daemon with data for all tests of a file. */
import type { Browser } from 'puppeteer-core';
import type { ConfigFile } from '../../../engine/platform/config/config.ts';
import type { Scope } from '../ava/scope.ts';
import { folders } from '../engine/definition-folders.ts';
import { credentials, type DaemonProcess, startDaemonProcess } from '../servers/daemon.ts';
import { shared } from '../servers/shared-resources.ts';
import { type ConsolePage, logIn, openBrowser, openPage } from './browser.ts';
import { type ConsoleScene, fillConsole, originOf } from './console-scene.ts';

interface Stage {
  browser: Browser;
  daemon: DaemonProcess;
  scene: ConsoleScene;
}

/** @param more of the configuration */
export const sharedStage = (more: ConfigFile = {}): (() => Promise<Stage>) =>
  shared(async (file) => {
    const daemon = await startDaemonProcess(file, { config: { ...folders, ...more } });
    return { browser: await openBrowser(file), daemon, scene: await fillConsole(daemon) };
  });

/** Opens a page of its own, and logs in. */
export async function openedPage(
  t: Scope,
  { browser, daemon }: Stage,
  path: string,
  who = credentials,
): Promise<ConsolePage> {
  const page = await openPage(t, browser, originOf(daemon), path);
  await logIn(page, who.username, who.password);
  await page.settled();
  return page;
}

/** A button, by its text. */
export const button = (text: string): string => `::-p-xpath(.//button[normalize-space()='${text}'])`;

/** Chooses a graph in the list of a form. */
export async function chooseGraph(page: ConsolePage, name: string): Promise<void> {
  await page.fill('[role=combobox]', name);
  await page.click(`[role=option][data-graph="${name}"]`);
}
