// Tables for SQL statements: every list that needs no argument, by table name.
import type { Command } from '../../cli/command/command.ts';

interface Table {
  readonly load: () => Promise<Command>;
  readonly options?: Readonly<Record<string, boolean>>; // to include rows omitted by default
}

export const tables: Readonly<Record<string, Table>> = {
  audit: { load: async () => (await import('../audit/audit.ts')).audit },
  compaction: { load: async () => (await import('../compaction/list.ts')).list },
  datasources: { load: async () => (await import('../datasources/list.ts')).list },
  duties: { load: async () => (await import('../cluster/duties.ts')).duties },
  group_mappings: { load: async () => (await import('../group-mappings/list.ts')).list },
  leaders: { load: async () => (await import('../cluster/leader.ts')).leader },
  loadqueue: { load: async () => (await import('../servers/loadqueue.ts')).loadqueue },
  lookups: { load: async () => (await import('../lookups/list.ts')).list },
  missing_segments: { load: async () => (await import('../segments/missing.ts')).missing },
  nodes: { load: async () => (await import('../servers/nodes.ts')).nodes },
  properties: { load: async () => (await import('../cluster/properties.ts')).properties },
  roles: { load: async () => (await import('../roles/list.ts')).list },
  rules: { load: async () => (await import('../rules/list.ts')).list },
  segments: {
    load: async () => (await import('../segments/list.ts')).list,
    options: { includeOvershadowed: true },
  },
  servers: { load: async () => (await import('../servers/list.ts')).list },
  supervisors: { load: async () => (await import('../supervisors/list.ts')).list },
  tasks: { load: async () => (await import('../tasks/list.ts')).list },
  tiers: { load: async () => (await import('../servers/tiers.ts')).tiers },
  users: { load: async () => (await import('../users/list.ts')).list, options: { roles: true } },
  workers: { load: async () => (await import('../workers/list.ts')).list },
};
