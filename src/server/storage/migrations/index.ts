// Formats of the metadata store, oldest first: the position in the list, from 1, is the format's
// number. Append new formats; never change a released one.
import { firstFormat } from './0001-first-format.ts';
import { statementSample } from './0002-statement-sample.ts';
import { security } from './0003-security.ts';
import { upgradeSegments } from './0004-upgrade-segments.ts';
import { segmentIngestion } from './0005-segment-ingestion.ts';
import { lookupRevisions } from './0006-lookup-revisions.ts';
import { taskPayloads } from './0007-task-payloads.ts';

export const migrations: readonly string[] = [
  firstFormat,
  statementSample,
  security,
  upgradeSegments,
  segmentIngestion,
  lookupRevisions,
  taskPayloads,
];
