export { files } from './files.ts';
export { sql } from './sql.ts';
