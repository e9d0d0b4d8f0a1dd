import type { CasesOf } from './cases.ts';

export const status: CasesOf<'status'> = {
  get: { success: { shows: { memory: {} } } },
  health: { success: { shows: true } },
  ready: { success: { shows: true } },
  properties: { success: { shows: { 'svc.auth.authorizer.roles.type': 'basic' } } },
  selfDiscovered: { success: { shows: { selfDiscovered: true } } },
  discovered: { success: {} },
};
