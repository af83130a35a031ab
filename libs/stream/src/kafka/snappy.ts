import { ByteSink } from './byte-sink.ts';

/** What snappy-java, and so the Java client, puts before its chunks. */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER_BYTES = 16;

/** Undoes Snappy as Kafka producers write it: chunks of snappy-java, or one bare block. */
export function snappyDecompress(bytes: Buffer): Buffer {
  const output = new ByteSink(bytes.length * 2);
  if (!bytes.subarray(0, XERIAL.length).equals(XERIAL)) {
    snappyBlock(bytes, output);
    return output.bytes();
  }
  let at = XERIAL_HEADER_BYTES;
  while (at < bytes.length) {
    const size = bytes.readUInt32BE(at);
    snappyBlock(bytes.subarray(at + 4, at + 4 + size), output);
    at += 4 + size;
  }
  return output.bytes();
}

/** A block: its length uncompressed (which the sink finds out itself), then literals and copies. */
function snappyBlock(block: Buffer, output: ByteSink): void {
  let at = 0;
  while ((block[at] ?? 0) >= 0x80) at++;
  at++;
  while (at < block.length) {
    const tag = block.readUInt8(at++);
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const sizeBytes = Math.max(0, short - 59);
      const length = (sizeBytes === 0 ? short : block.readUIntLE(at, sizeBytes)) + 1;
      at += sizeBytes;
      output.append(block.subarray(at, at + length));
      at += length;
    } else if (kind === 1) {
      output.copyBack(((tag >> 5) << 8) | block.readUInt8(at), ((tag >> 2) & 7) + 4);
      at += 1;
    } else {
      const distanceBytes = kind === 2 ? 2 : 4;
      output.copyBack(block.readUIntLE(at, distanceBytes), (tag >> 2) + 1);
      at += distanceBytes;
    }
  }
}
