// All tables: an area that has none does not compile.
import type { api } from '../../../src/contract/index.ts';
import { broker } from './broker.ts';
import type { CasesOf } from './cases.ts';
import { cluster } from './cluster.ts';
import { compaction } from './compaction.ts';
import { config } from './config.ts';
import { datasources } from './datasources.ts';
import { lookups } from './lookups.ts';
import { metadata } from './metadata.ts';
import { historical, router } from './nodes.ts';
import { avatica, native, sql, statements } from './queries.ts';
import { rules } from './rules.ts';
import { authentication, authorization } from './security.ts';
import { segments } from './segments.ts';
import { status } from './status.ts';
import { supervisors } from './supervisors.ts';
import { tasks } from './tasks.ts';
import { middleManager, workers } from './workers.ts';

export const tables: { readonly [Area in keyof typeof api]: CasesOf<Area> } = {
  status,
  sql,
  avatica,
  statements,
  native,
  broker,
  tasks,
  supervisors,
  workers,
  middleManager,
  rules,
  compaction,
  config,
  segments,
  datasources,
  metadata,
  cluster,
  historical,
  router,
  lookups,
  authentication,
  authorization,
};
