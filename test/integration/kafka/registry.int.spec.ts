import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import {
  checkSchemas,
  findSchemaIds,
  readSchemaIds,
  registerSchemas,
  type SubjectSpec,
  schemaRegistry,
  writeSchemaIds,
} from '@loopwarden/stream/kafka';
import { createRegisteredCodec, registrySubjects, schemaIdOf } from '@loopwarden/wire';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { kafkaUnderTest, uniqueName } from '../../setup/kafka.ts';
import { flakyProxy } from './flaky-proxy.ts';

const kafka = await kafkaUnderTest();
const NEVER = 2_000_000_000;

/** A record that exists in this test alone: registries give equal schemas equal ids. */
function schema(name: string, ...fields: object[]): object {
  const known = { name: 'runId', type: 'string' };
  return { type: 'record', name: name.replaceAll('-', '_'), namespace: 'test', fields: [known, ...fields] };
}

function subjectOf(compatibility: SubjectSpec['compatibility']): SubjectSpec & { name: string } {
  const name = uniqueName('record');
  return { name, subject: `loopwarden.test-${name}`, compatibility, versions: [schema(name)] };
}

describe.skipIf(kafka === null)('schemas in a registry', () => {
  const url = kafka?.registry ?? '';

  it('are registered once and found by subject and by id', async () => {
    const spec = subjectOf('BACKWARD_TRANSITIVE');
    const registry = schemaRegistry({ url });
    expect(await registry.idOf(spec.subject, spec.versions[0])).toBeNull();
    const [first] = await registerSchemas({ url }, [spec]);
    const [again] = await registerSchemas({ url }, [spec]);
    expect(again).toEqual(first);
    expect(await registry.idOf(spec.subject, spec.versions[0])).toBe(first?.id);
    expect(await registry.findSchema(first?.id ?? 0)).toEqual(spec.versions[0]);
  });

  it('mean the same to the registry client of kafkajs: ids, framing and bodies', async () => {
    const theirs = new SchemaRegistry({ host: url });
    const prefix = `${uniqueName('interop')}.`;
    const registered = await registerSchemas({ url }, registrySubjects(prefix));
    const ids = registered.map(({ subject, version, id }) => ({ subject, version, id: id ?? 0 }));
    const codec = createRegisteredCodec(ids, prefix);
    const mark = { partition: 3, offset: 41, end: 42 };
    const markId = schemaIdOf(codec.encodeMark(mark)) ?? 0;
    const ours = codec.encodeMark(mark);
    expect(await theirs.decode(Buffer.from(ours))).toMatchObject(mark);
    const decoded = codec.decodeControl(await theirs.encode(markId, mark));
    expect(decoded).toMatchObject({ ok: true, value: { type: 'mark', mark } });
  });

  const optional = { name: 'tool', type: ['null', 'string'], default: null };
  const required = { name: 'tool', type: 'string' };

  it.each([
    { compatibility: 'BACKWARD_TRANSITIVE', change: 'a field with a default', field: optional, fits: true },
    { compatibility: 'BACKWARD_TRANSITIVE', change: 'a field without one', field: required, fits: false },
    { compatibility: 'FULL_TRANSITIVE', change: 'a field with a default', field: optional, fits: true },
    { compatibility: 'FULL_TRANSITIVE', change: 'a field without one', field: required, fits: false },
  ] as const)(
    'under $compatibility, adding $change: taken is $fits',
    async ({ compatibility, field, fits }) => {
      const spec = subjectOf(compatibility);
      await registerSchemas({ url }, [spec]);
      const next = { ...spec, versions: [...spec.versions, schema(spec.name, field)] };
      const checked = await checkSchemas({ url }, [next]);
      expect(checked.schemas.map(({ state }) => state)).toEqual([
        'registered',
        fits ? 'new' : 'incompatible',
      ]);
      expect(checked.drift).toEqual([]);
      const registered = registerSchemas({ url }, [next]);
      if (fits) expect((await registered).map(({ version }) => version)).toEqual([1, 2]);
      else await expect(registered).rejects.toMatchObject({ code: 'refused' });
    },
  );

  it('may drop a field that had no default where old readers need not understand, and not where they must', async () => {
    for (const { compatibility, state } of [
      { compatibility: 'BACKWARD_TRANSITIVE', state: 'new' },
      { compatibility: 'FULL_TRANSITIVE', state: 'incompatible' },
    ] as const) {
      const spec = subjectOf(compatibility);
      const [full, bare] = [schema(spec.name, required), schema(spec.name)];
      await registerSchemas({ url }, [{ ...spec, versions: [full] }]);
      const checked = await checkSchemas({ url }, [{ ...spec, versions: [full, bare] }]);
      expect(checked.schemas.at(-1)?.state).toBe(state);
    }
  });

  it('are known to have another compatibility than declared', async () => {
    const spec = subjectOf('FULL_TRANSITIVE');
    expect((await checkSchemas({ url }, [spec])).drift).toEqual([
      { subject: spec.subject, expected: 'FULL_TRANSITIVE', actual: null },
    ]);
    await registerSchemas({ url }, [{ ...spec, compatibility: 'BACKWARD_TRANSITIVE' }]);
    expect((await checkSchemas({ url }, [spec])).drift).toEqual([
      { subject: spec.subject, expected: 'FULL_TRANSITIVE', actual: 'BACKWARD_TRANSITIVE' },
    ]);
  });
});

describe.skipIf(kafka === null)('a registry that comes to harm', () => {
  const target = new URL(kafka?.registry ?? 'http://127.0.0.1:1');

  const throughProxy = async () => {
    const proxy = await flakyProxy(Number(target.port));
    onTestFinished(() => proxy.close());
    return { proxy, url: `http://127.0.0.1:${proxy.port}${target.pathname}` };
  };

  it('is away, which is no unknown id, and is asked again when it is back', async () => {
    const { proxy, url } = await throughProxy();
    const spec = subjectOf('BACKWARD_TRANSITIVE');
    const [registered] = await registerSchemas({ url }, [spec]);
    const registry = schemaRegistry({ url });
    await proxy.away();
    const found = registry.findSchema(registered?.id ?? 0);
    await expect(found).rejects.toMatchObject({ code: 'unavailable' });
    await expect(found).rejects.toThrow('cannot be reached');
    await proxy.back();
    expect(await registry.findSchema(registered?.id ?? 0)).toEqual(spec.versions[0]);
    await proxy.away();
    expect(await registry.findSchema(registered?.id ?? 0)).toEqual(spec.versions[0]);
  });

  it('is slow: nobody waits longer than the time-out', async () => {
    const { proxy, url } = await throughProxy();
    proxy.delay(5_000);
    const begun = performance.now();
    const found = schemaRegistry({ url, timeoutMs: 300 }).findSchema(1);
    await expect(found).rejects.toMatchObject({ code: 'unavailable' });
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('does not know an id: it says so, and is not asked again for a while', async () => {
    const { proxy, url } = await throughProxy();
    const registry = schemaRegistry({ url, missForMs: 1_500 });
    expect(await registry.findSchema(NEVER)).toBeNull();
    await proxy.away();
    expect(await registry.findSchema(NEVER)).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 1_600));
    await expect(registry.findSchema(NEVER)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is something else at a wrong address: no id is declared unknown by it', async () => {
    const other = createServer((_, response) => response.writeHead(404).end('<h1>Not here</h1>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const found = schemaRegistry({ url: `http://127.0.0.1:${port}` }).findSchema(1);
    await expect(found).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is asked once for an id that many want at the same time', async () => {
    let asked = 0;
    const counting = createServer((_, response) => {
      asked += 1;
      setTimeout(() => response.end(JSON.stringify({ schema: '"string"' })), 50);
    });
    await new Promise<void>((resolve) => counting.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void counting.close());
    const address = counting.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const registry = schemaRegistry({ url: `http://127.0.0.1:${port}` });
    const found = await Promise.all(Array.from({ length: 50 }, () => registry.findSchema(7)));
    expect(found).toEqual(Array.from({ length: 50 }, () => 'string'));
    expect(asked).toBe(1);
  });
});

describe.skipIf(kafka === null)('an id file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loopwarden-ids-'));
  afterAll(() => rm(folder, { recursive: true }));
  const file = join(folder, 'ids.json');

  it('lets a process start while the registry is away', async () => {
    const url = kafka?.registry ?? '';
    const spec = subjectOf('FULL_TRANSITIVE');
    const registered = await registerSchemas({ url }, [spec]);
    await writeSchemaIds(
      file,
      registered.map(({ subject, version, id }) => ({ subject, version, id: id ?? 0 })),
    );
    const away = schemaRegistry({ url: 'http://127.0.0.1:1' });
    const ids = await findSchemaIds([spec], { file: await readSchemaIds(file), registry: away });
    expect(ids).toEqual([{ subject: spec.subject, version: 1, id: registered[0]?.id }]);
    const without = findSchemaIds([spec], { file: [], registry: away });
    await expect(without).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('need not hold everything while the registry is there', async () => {
    const url = kafka?.registry ?? '';
    const spec = subjectOf('FULL_TRANSITIVE');
    const registry = schemaRegistry({ url });
    await expect(findSchemaIds([spec], { file: [], registry })).rejects.toThrow('schemas register');
    const [registered] = await registerSchemas({ url }, [spec]);
    const ids = await findSchemaIds([spec], { file: [], registry });
    expect(ids.map(({ id }) => id)).toEqual([registered?.id]);
  });
});
