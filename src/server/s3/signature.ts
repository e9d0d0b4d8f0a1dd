// Signatures of requests to AWS (Signature Version 4). The only importer of aws4fetch.
import { AwsV4Signer } from 'aws4fetch';
import type { S3Credentials } from './settings.ts';

export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly region: string;
  readonly bodySha256: string; // in hexadecimal digits
  readonly at?: string; // 20130524T000000Z; now by default
}

/** The headers of a request, including its signature. */
export async function sign(
  request: SignedRequest,
  { accessKey, secretKey, sessionToken }: S3Credentials,
): Promise<Record<string, string>> {
  const { method, url, headers, region, bodySha256, at } = request;
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...headers, 'x-amz-content-sha256': bodySha256 },
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    ...(sessionToken !== undefined && { sessionToken }),
    service: 's3',
    region,
    ...(at !== undefined && { datetime: at }),
  });
  return Object.fromEntries((await signer.sign()).headers);
}

/** The SHA-256 of an empty body. */
export const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
