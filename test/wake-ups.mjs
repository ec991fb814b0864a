/**
 * Asks the file system something each second. On a starved machine a thread of libuv may miss the wake-up for a request, as the condition
 * variables of glibc before 2.41 allow; then a run of tests waited for a file for ever, before its first test. The next request wakes it.
 */
import { stat } from 'node:fs';

setInterval(() => stat('.', () => {}), 1_000).unref();
