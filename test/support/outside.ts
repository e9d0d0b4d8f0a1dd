// Allowed addresses, files and variables of test services: addresses only, unless a story overrides
// it.
import type { Outside } from '../../src/server/ingestion/outside.ts';
import { s3SettingsIn } from '../../src/server/s3/settings.ts';
import { Properties } from '../../src/server/settings/properties.ts';

export const outsideWith = (parts: Partial<Outside> = {}): Outside => ({
  folders: [],
  ownFolder: undefined,
  variables: new Set(),
  http: { protocols: ['http', 'https'], targets: undefined, headers: undefined },
  s3: s3SettingsIn(new Properties('svc', {})),
  ...parts,
});
