// Files in a zip archive (PKWARE, APPNOTE.TXT), without encryption and below 4 GB.

export interface ZipEntry {
  readonly isStored: boolean; // not compressed; otherwise deflated
  readonly bytes: Buffer;
}

/** Reads the central directory. Throws an Error for an archive that is damaged or unsupported. */
export function* zipEntries(archive: Buffer): Iterable<ZipEntry> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end === -1) throw new Error('the zip archive is cut off');
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (archive.readUInt32LE(at) !== 0x02014b50) throw new Error('the zip archive is damaged');
    const flags = archive.readUInt16LE(at + 8);
    const method = archive.readUInt16LE(at + 10);
    const size = archive.readUInt32LE(at + 20);
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const local = archive.readUInt32LE(at + 42);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    if (name.endsWith('/') || name.startsWith('__MACOSX/')) continue;
    if (flags & 1) throw new Error(`[${name}] in the zip archive is encrypted`);
    if (method !== 0 && method !== 8)
      throw new Error(`[${name}] in the zip archive is compressed by an unsupported method`);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    yield { isStored: method === 0, bytes: archive.subarray(start, start + size) };
  }
}
