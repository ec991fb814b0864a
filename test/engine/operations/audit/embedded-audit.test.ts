/** The audit log on the embedded store. */
import test from 'ava';
import { auditConformance } from '../../../conformance/audit.ts';
import { embeddedStore } from '../../../support/engine/stores.ts';

auditConformance(test.serial, embeddedStore(test));
