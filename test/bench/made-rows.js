// Rows that are made up, in a CSV file, and the statement that loads them.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const columns = ['time', 'page', 'channel', 'city', 'added', 'deleted', 'share', 'isNew'];
const channels = ['#en.wikipedia', '#de.wikipedia', '#fr.wikipedia', '#el.wikipedia'];
const types = { added: 'BIGINT', deleted: 'BIGINT', share: 'DOUBLE' };

/**
 * Writes the file into a folder that the service may read; returns the statement. The rows are of
 * one day.
 */
export async function madeOfRows(folder, count) {
  await pipeline(Readable.from(lines(count)), createWriteStream(join(folder, 'made.csv')));
  const source = { type: 'local', baseDir: folder, filter: 'made.csv' };
  const format = { type: 'csv', findColumnsFromHeader: true };
  const signature = columns.map((name) => `"${name}" ${types[name] ?? 'VARCHAR'}`).join(', ');
  return `REPLACE INTO made OVERWRITE ALL
    SELECT TIME_PARSE("time") AS __time, ${columns
      .slice(1)
      .map((name) => `"${name}"`)
      .join(', ')}
    FROM TABLE(EXTERN('${JSON.stringify(source)}', '${JSON.stringify(format)}')) EXTEND (${signature})
    PARTITIONED BY DAY`;
}

function* lines(count) {
  yield `${columns.join(',')}\n`;
  const start = Date.UTC(2024, 4, 1);
  for (let from = 0; from < count; from += 1000) {
    const block = [];
    for (let at = from; at < Math.min(from + 1000, count); at++) {
      const time = new Date(start + Math.floor((at / count) * 86_400_000)).toISOString();
      const city = at % 7 ? `City ${at % 300}` : '';
      block.push(
        `${time},"Page, ${at % 50_021}",${channels[at % 4]},${city},${(at * 7919) % 10_007},${at % 13},${(at % 1000) / 8},${at % 3 === 0}`,
      );
    }
    yield `${block.join('\n')}\n`;
  }
}
