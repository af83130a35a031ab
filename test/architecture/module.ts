import { type Node, type ParseResult, parseSync, type StaticExportEntry } from 'oxc-parser';
import { walk } from './walk.ts';

/** A module that another file asks for. `names` is `'all'` where the file takes the whole of it. */
interface Import {
  readonly specifier: string;
  readonly names: readonly string[] | 'all';
}

interface Export {
  readonly name: string;
  readonly kind: 'name' | 'type' | 'default' | 'star' | 'type-star';
  /** Where a name that is passed on comes from; null for what the file declares itself. */
  readonly from: string | null;
}

/** One source file as the rules see it. */
export interface Module {
  readonly path: string;
  readonly text: string;
  readonly program: Node;
  readonly comments: readonly string[];
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
}

/** Parses a TypeScript or JavaScript file. A file that does not parse has no place in the tree: it throws. */
export function moduleOf(path: string, text: string): Module {
  const parsed = parseSync(path, text, { preserveParens: false });
  if (parsed.errors.length > 0) throw new Error(`${path}: ${parsed.errors[0]?.message}`);
  const imports = [...staticImports(parsed), ...reexports(parsed), ...hiddenImports(parsed.program)];
  return {
    path,
    text,
    program: parsed.program,
    comments: parsed.comments.map((comment) => comment.value),
    imports,
    exports: exportsOf(parsed),
  };
}

function staticImports(parsed: ParseResult): Import[] {
  return parsed.module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    names: entries.some(({ importName }) => importName.kind === 'NamespaceObject')
      ? 'all'
      : entries.map(({ importName }) => importName.name ?? 'default'),
  }));
}

/** The parser sees through `import { a } …; export { a }`: that too has a module request. */
function exportsOf(parsed: ParseResult): Export[] {
  return exportEntries(parsed).map((entry) => ({
    name: entry.exportName.name ?? (isStar(entry) ? '*' : 'default'),
    kind: kindOf(entry),
    from: entry.moduleRequest?.value ?? null,
  }));
}

function kindOf(entry: StaticExportEntry): Export['kind'] {
  if (isStar(entry)) return entry.isType ? 'type-star' : 'star';
  if (entry.exportName.kind === 'Default') return 'default';
  return entry.isType ? 'type' : 'name';
}

const isStar = ({ importName }: StaticExportEntry): boolean =>
  importName.kind === 'AllButDefault' || importName.kind === 'All';

function reexports(parsed: ParseResult): Import[] {
  return exportEntries(parsed).flatMap(({ moduleRequest, importName }) => {
    if (moduleRequest === null) return [];
    return [
      { specifier: moduleRequest.value, names: importName.kind === 'Name' ? [importName.name ?? ''] : 'all' },
    ];
  });
}

const exportEntries = (parsed: ParseResult) => parsed.module.staticExports.flatMap(({ entries }) => entries);

/** `import('x')`, the type `import('x')`, and `new URL('./x', …)`, which is how workers are named. */
function hiddenImports(program: Node): Import[] {
  const found: Import[] = [];
  const add = (source: Node | undefined): void => {
    if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
    found.push({ specifier: source.value, names: 'all' });
  };
  walk(program, (node) => {
    if (node.type === 'ImportExpression' || node.type === 'TSImportType') add(node.source);
    if (node.type !== 'NewExpression' || node.callee.type !== 'Identifier') return;
    if (node.callee.name === 'URL' && node.arguments.length === 2) add(node.arguments[0]);
  });
  return found;
}
