// Self-reports of the other roles.
import type { CasesOf } from './cases.ts';

export const historical: CasesOf<'historical'> = {
  loadStatus: { success: { shows: { cacheInitialized: true } } },
  readiness: { success: {} },
};

export const router: CasesOf<'router'> = {
  brokers: { success: { shows: /^\{"svc\/broker":\["127.0.0.1:\d+"\]\}$/ } },
  proxyEnabled: { success: { shows: { enabled: true } } },
};
