// Says so, where no directory can be started.
import { directoryIsMissing } from './slapd.ts';

export default function setup(): void {
  const reason = directoryIsMissing();
  if (reason !== undefined)
    console.warn(`SKIPPED: the LDAP suite needs a directory, and ${reason}`);
}
