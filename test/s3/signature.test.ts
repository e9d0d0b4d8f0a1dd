// The examples that AWS publishes with its description of signatures for S3 (Signature Calculations
// for the Authorization Header).
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { addressOf, endpointAt } from '../../src/server/s3/place.ts';
import { emptySha256, sign } from '../../src/server/s3/signature.ts';

const credentials = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const endpoint = endpointAt(undefined, { region: undefined, protocol: 'https', pathStyle: false });

const signatureOf = async (
  method: string,
  key: string,
  query: Record<string, string>,
  headers: Record<string, string>,
  body?: string,
) => {
  if (!endpoint) throw new Error('AWS has an endpoint');
  const url = addressOf(endpoint, { bucket: 'examplebucket', key }, query);
  const bodySha256 =
    body === undefined ? emptySha256 : createHash('sha256').update(body).digest('hex');
  const all = await sign(
    { method, url, headers, region: 'us-east-1', bodySha256, at: '20130524T000000Z' },
    credentials,
  );
  return /Signature=(\w+)$/.exec(all.authorization ?? '')?.[1];
};

test.each<[string, Promise<string | undefined>, string]>([
  [
    'an object that is written, whose name has a $',
    signatureOf(
      'PUT',
      'test$file.text',
      {},
      { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      'Welcome to Amazon S3.',
    ),
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'the lifecycle of a bucket',
    signatureOf('GET', '', { lifecycle: '' }, {}),
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'a list of objects',
    signatureOf('GET', '', { 'max-keys': '2', prefix: 'J' }, {}),
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('the signature of %s is that of the example', async (_, made, published) => {
  expect(await made).toBe(published);
});
