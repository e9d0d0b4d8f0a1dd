// All tables, by area.
import { broker } from './broker.ts';
import { cluster } from './cluster.ts';
import { compaction } from './compaction.ts';
import { config } from './config.ts';
import { datasources } from './datasources.ts';
import { lookups } from './lookups.ts';
import { metadata } from './metadata.ts';
import { historical, router } from './nodes.ts';
import { rules } from './rules.ts';
import { segments } from './segments.ts';
import { status } from './status.ts';

export const tables = { status, broker, rules, compaction, config, segments, datasources, metadata, cluster, historical, router, lookups };
