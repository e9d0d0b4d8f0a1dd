// Snappy in the framing of Java's producers and brokers (snappy-java, SnappyOutputStream): blocks
// after a header, each preceded by its length.

const magic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const headerBytes = magic.length + 8; // two versions follow

/**
 * Decompresses blocks after this header. Data without the header is one raw block for
 * `decompressBlock`.
 */
export function decompressSnappy(data: Buffer, decompressBlock: (block: Buffer) => Buffer): Buffer {
  if (!data.subarray(0, magic.length).equals(magic)) return decompressBlock(data);
  const blocks: Buffer[] = [];
  for (let at = headerBytes; at + 4 <= data.length; ) {
    const start = at + 4;
    at = start + data.readUInt32BE(at);
    blocks.push(Buffer.from(decompressBlock(data.subarray(start, at))));
  }
  return Buffer.concat(blocks);
}
