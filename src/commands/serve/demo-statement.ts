// The sample data as SQL: 39,244 edits of Wikipedia on 12 September 2015.
import { quotedText } from '../../model/sql-text.ts';

export const demoDatasource = 'wikipedia';

/** The statement that loads the sample from a file readable by the service. */
export const demoStatement = (
  file: string,
): string => `REPLACE INTO "${demoDatasource}" OVERWRITE ALL
SELECT
  TIME_PARSE("time") AS "__time",
  "channel",
  "cityName",
  "comment",
  "countryIsoCode",
  "countryName",
  "isAnonymous",
  "isMinor",
  "isNew",
  "isRobot",
  "isUnpatrolled",
  "metroCode",
  "namespace",
  "page",
  "regionIsoCode",
  "regionName",
  "user",
  "delta",
  "added",
  "deleted"
FROM TABLE(
  EXTERN(
    ${quotedText(JSON.stringify({ type: 'local', files: [file] }))},
    '{"type":"json"}'
  )
) EXTEND (
  "time" VARCHAR,
  "channel" VARCHAR,
  "cityName" VARCHAR,
  "comment" VARCHAR,
  "countryIsoCode" VARCHAR,
  "countryName" VARCHAR,
  "isAnonymous" VARCHAR,
  "isMinor" VARCHAR,
  "isNew" VARCHAR,
  "isRobot" VARCHAR,
  "isUnpatrolled" VARCHAR,
  "metroCode" BIGINT,
  "namespace" VARCHAR,
  "page" VARCHAR,
  "regionIsoCode" VARCHAR,
  "regionName" VARCHAR,
  "user" VARCHAR,
  "delta" BIGINT,
  "added" BIGINT,
  "deleted" BIGINT
)
PARTITIONED BY DAY
CLUSTERED BY "channel"`;
