import { ByteSink } from './byte-sink.ts';

const FRAME = 0x184d2204;
const STORED = 0x80000000;

/** Undoes an LZ4 frame as Kafka producers write it. Checksums are left to the transport. */
export function lz4Decompress(frame: Buffer): Buffer {
  if (frame.length < 7 || frame.readUInt32LE(0) !== FRAME) throw new Error('not an LZ4 frame');
  const flags = frame.readUInt8(4);
  const blockChecksum = (flags & 0x10) === 0 ? 0 : 4;
  const contentSize = (flags & 0x08) === 0 ? 0 : 8;
  // Blocks of a frame may refer back to earlier blocks, so all go to one output.
  const output = new ByteSink(frame.length * 4);
  let at = 4 + 2 + contentSize + 1;
  for (let size = frame.readUInt32LE(at); size !== 0; size = frame.readUInt32LE(at)) {
    const length = size & 0x7fffffff;
    const block = frame.subarray(at + 4, at + 4 + length);
    if ((size & STORED) === 0) lz4Block(block, output);
    else output.append(block);
    at += 4 + length + blockChecksum;
  }
  return output.bytes();
}

/** One block: literals and copies of what came before, in turns; it ends with literals. */
function lz4Block(block: Buffer, output: ByteSink): void {
  let at = 0;
  const extended = (nibble: number): number => {
    let length = nibble;
    if (nibble === 15) {
      let more = 255;
      while (more === 255) {
        more = block.readUInt8(at++);
        length += more;
      }
    }
    return length;
  };
  while (at < block.length) {
    const token = block.readUInt8(at++);
    const literals = extended(token >> 4);
    output.append(block.subarray(at, at + literals));
    at += literals;
    if (at >= block.length) return;
    const distance = block.readUInt16LE(at);
    at += 2;
    output.copyBack(distance, extended(token & 15) + 4);
  }
}
