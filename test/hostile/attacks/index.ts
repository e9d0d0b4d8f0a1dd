// All attacks, by what they are aimed at.
import type { AttackClass } from '../attack.ts';
import { accessOfUsers, originsOfPages, passwords } from './access.ts';
import { environmentOfTheServer, paths, secrets } from './doors.ts';
import { files } from './files.ts';
import { grouping } from './grouping.ts';
import { http } from './http.ts';
import { largeBodies } from './large-bodies.ts';
import { largeStatements } from './large-statements.ts';
import { memory } from './memory.ts';
import { patterns } from './patterns.ts';
import { sketches } from './sketches.ts';
import { textGrowth } from './text-growth.ts';
import { truth } from './truth.ts';

export const attackClasses: readonly AttackClass[] = [
  truth,
  environmentOfTheServer,
  paths,
  secrets,
  accessOfUsers,
  passwords,
  originsOfPages,
  http,
  patterns,
  sketches,
  grouping,
  textGrowth,
  memory,
  largeStatements,
  largeBodies,
  files,
];
