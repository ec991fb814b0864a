/** A daemon with data for each page of the console. */
import type { DaemonProcess } from './daemon.ts';

export const originOf = (daemon: DaemonProcess): string => new URL(daemon.authorized('').url).origin;

/** Of its northbound endpoint, until it is started again. */
export const portOf = (daemon: DaemonProcess): number => Number(new URL(originOf(daemon)).port);
