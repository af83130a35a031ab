import zlib from 'node:zlib';
import kafkajs from 'kafkajs';
import { lz4Decompress } from './lz4.ts';
import { snappyDecompress } from './snappy.ts';

interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

/** Codecs that other writers may use; this driver itself compresses nothing with them. */
const readOnly = (name: string, decompress: (bytes: Buffer) => Buffer): Codec => ({
  compress: async () => {
    throw new Error(`${name} is only read`);
  },
  decompress: async (bytes) => decompress(bytes),
});

/** Zstandard came to the platform with Node 22.15: before, batches in it cannot be read. */
const zstd: Codec = {
  compress: async (encoder) => zlib.zstdCompressSync(encoder.buffer),
  decompress: async (bytes) => zlib.zstdDecompressSync(bytes),
};

/** Makes every compression of Kafka readable. kafkajs brings gzip alone, and one foreign batch would stop a partition. */
export function registerCodecs(): void {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  CompressionCodecs[CompressionTypes.Snappy] = () => readOnly('Snappy', snappyDecompress);
  CompressionCodecs[CompressionTypes.LZ4] = () => readOnly('LZ4', lz4Decompress);
  CompressionCodecs[CompressionTypes.ZSTD] = () => zstd;
}
