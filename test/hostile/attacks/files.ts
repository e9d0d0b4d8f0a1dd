// Files that grow when they are unpacked, and Parquet schemas that are large or deep.
import {
  type Attack,
  type AttackClass,
  answered,
  failed,
  refusedWith,
  succeeded,
} from '../attack.ts';
import { sampledFrom, taskOf } from './bodies.ts';

const local = (file: string) => ({ type: 'local', files: [`ALLOWED_FOLDER/${file}`] });
const sampler = '/svc/indexer/v1/sampler';

// The service goes on reading other files.
const then: Attack['then'] = [
  {
    as: 'anyone',
    asks: {
      method: 'POST',
      path: sampler,
      body: sampledFrom(local('rows.json'), { type: 'json' }),
    },
    expects: [answered(/"numRowsRead":1/)],
  },
  {
    as: 'anyone',
    asks: { task: taskOf({ inputSource: local('rows.json') }) },
    expects: [succeeded],
  },
];

const schemas = [
  ['deep.parquet', /its columns are nested more than 100 levels/],
  ['columns.parquet', /Limit \[inputColumns\] exceeded/],
] as const;

export const files: AttackClass = {
  name: 'files',
  attacks: [
    ...schemas.flatMap(([file, words]): Attack[] => [
      {
        name: `${file} in the sampler`,
        as: 'anyone',
        asks: {
          method: 'POST',
          path: sampler,
          body: sampledFrom(local(file), { type: 'parquet' }),
        },
        expects: [refusedWith(400, words)],
        then,
      },
      {
        name: `${file} in a task`,
        as: 'anyone',
        asks: {
          task: taskOf({
            inputSource: local(file),
            inputFormat: { type: 'parquet' },
            dimensions: [],
          }),
        },
        expects: [failed(words)],
        then,
      },
    ]),
    {
      name: 'a gigabyte of zeros in gzip in the sampler',
      as: 'anyone',
      asks: {
        method: 'POST',
        path: sampler,
        body: sampledFrom(local('zeros.json.gz'), { type: 'json' }),
      },
      expects: [answered(), refusedWith(400)],
      then,
    },
  ],
};
