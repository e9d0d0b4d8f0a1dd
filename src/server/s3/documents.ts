// XML documents of S3, parsed as a stream: only texts of a few requested elements are kept. The
// only importer of sax.
import { StringDecoder } from 'node:string_decoder';
import { parser as xmlParser } from 'sax';

export interface FoundObject {
  readonly key: string;
  readonly sizeBytes: number;
}

export interface Listing {
  readonly objects: readonly FoundObject[];
  readonly next: string | undefined; // the token of the next page
}

/** Reads a page of a list of objects. Throws an Error for an invalid document. */
export async function readListing(chunks: AsyncIterable<Buffer>): Promise<Listing> {
  const objects: FoundObject[] = [];
  const last = new Map<string, string>();
  let isEncoded = false;
  await readElements(chunks, 'ListBucketResult', (path, text) => {
    if (path === 'EncodingType') isEncoded = text === 'url';
    else if (path !== 'Contents') last.set(path, text);
    else {
      const [key, size] = [last.get('Contents/Key'), last.get('Contents/Size') ?? ''];
      if (key === undefined || !/^\d{1,15}$/.test(size))
        throw new Error('the list has an object without a key or a size');
      objects.push({ key, sizeBytes: Number(size) });
      last.delete('Contents/Key');
      last.delete('Contents/Size');
    }
  });
  const next = last.get('IsTruncated') === 'true' ? last.get('NextContinuationToken') : undefined;
  if (last.get('IsTruncated') === 'true' && !next)
    throw new Error('the list has no token for its next page');
  return {
    objects: isEncoded
      ? objects.map(({ key, sizeBytes }) => ({ key: plain(key), sizeBytes }))
      : objects,
    next,
  };
}

function plain(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', '%20'));
  } catch {
    throw new Error('the list has a key that cannot be decoded');
  }
}

export interface SmallDocument {
  readonly root: string; // its name
  readonly fields: Readonly<Record<string, string>>; // texts of the direct child elements
}

/**
 * Reads a document with a few fields: an error, or the result of an upload. Throws an Error for an
 * invalid one.
 */
export async function readSmallDocument(chunks: AsyncIterable<Buffer>): Promise<SmallDocument> {
  const fields: [string, string][] = [];
  const root = await readElements(chunks, undefined, (path, text) => {
    if (!path.includes('/') && fields.length < maxFields) fields.push([path, text]);
  });
  return { root, fields: Object.fromEntries(fields) };
}

const maxFields = 100;

// Calls back at the end of each element below the root, with its path and text. Returns the name of
// the root, which must equal `wanted` if given.
async function readElements(
  chunks: AsyncIterable<Buffer>,
  wanted: string | undefined,
  onElement: (path: string, text: string) => void,
): Promise<string> {
  const reader = xmlParser(true, { xmlns: false });
  const open: string[] = [];
  let [root, text, isWhole] = ['', '', false];
  const fail = (reason: string): never => {
    throw new Error(`the answer of the server is not an S3 document: ${reason}`);
  };
  reader.onerror = () => fail('it is not XML');
  reader.ondoctype = () => fail('it has a DOCTYPE');
  reader.onopentag = ({ name }) => {
    if (open.length === 0) root = name;
    if (wanted !== undefined && root !== wanted) fail(`the root is not [${wanted}]`);
    if (open.push(name) > maxDepth) fail(`it is nested more than [${maxDepth}] times`);
    text = '';
  };
  const onText = (piece: string) => {
    text += piece;
    if (text.length > maxTextLength)
      fail(`it has a text of more than [${maxTextLength}] characters`);
  };
  reader.ontext = onText;
  reader.oncdata = onText;
  reader.onclosetag = () => {
    if (open.length > 1) onElement(open.slice(1).join('/'), text);
    open.pop();
    isWhole = open.length === 0;
    text = '';
  };
  const decoder = new StringDecoder('utf8');
  for await (const chunk of chunks) reader.write(decoder.write(chunk));
  if (!isWhole) fail('it ends too early');
  return root;
}

const maxDepth = 10;
const maxTextLength = 16 * 1024;
